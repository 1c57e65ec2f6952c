// SPDX-License-Identifier: Apache-2.0
//
// The GPU runtime of the reference as dlcert sees it: group 7 of the adapter ABI, and what the
// runtime says of its devices of group 6. Every method is one translation between the ABI and
// reference/cuda; the parts behind it come from a cuda::PartsFactory, so that a derived part
// changes exactly one thing.
#pragma once

#include <dlcert/adapter.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "dlcert/cuda/cuda.hpp"
#include "dlcert/cuda/gpu_object.hpp"
#include "dlcert/reference_devices.hpp"

namespace dlcert::reference {

// A block of the library: of a device or of a stream. Enter and exit in the same thread.
class RuntimeGuard {
 public:
  RuntimeGuard() = default;
  RuntimeGuard(const RuntimeGuard&) = delete;
  RuntimeGuard& operator=(const RuntimeGuard&) = delete;
  virtual ~RuntimeGuard();
  virtual void enter() = 0;
  virtual void exit() = 0;
};

// Any thread, behave_as() aside.
class ReferenceRuntime : public ReferenceDevices {
 public:
  using Guard = RuntimeGuard;
  using GpuObject = cuda::GpuObject;

  explicit ReferenceRuntime(std::unique_ptr<cuda::PartsFactory> parts)
      : ReferenceDevices{std::move(parts)} {}

  // Makes all parts anew.
  virtual void behave_as(const dlcert_build& build);

  virtual std::string device_name(const dlcert_value& device);
  virtual std::pair<std::int32_t, std::int32_t> device_capability(const dlcert_value& device);
  virtual dlcert_device_properties device_properties(const dlcert_value& device);
  virtual bool can_access_peer(const dlcert_value& device, const dlcert_value& peer);

  virtual void initialize();
  virtual bool is_initialized();
  virtual void queue(std::int32_t kind, dlcert_queued_call call, void* context);
  virtual const void* runtime_bindings();
  virtual void check_error(std::int64_t code);
  virtual std::int64_t constant(std::int32_t which);

  virtual std::int64_t current_device_index();
  virtual void set_device(const dlcert_value& device);
  virtual std::int64_t exchange_device(std::int64_t device);
  virtual std::int64_t maybe_exchange_device(std::int64_t device);
  virtual Guard* device_guard(const dlcert_value& device);
  virtual Guard* device_of_guard(const dlcert_value& device);
  virtual Guard* stream_guard(const dlcert_runtime_stream* stream);
  virtual void with_guard(Guard& guard, dlcert_queued_call body, void* context);
  virtual void drop_guard(Guard* guard);

  virtual dlcert_runtime_stream new_stream(const dlcert_value& device);
  virtual dlcert_runtime_stream external_stream(std::uint64_t handle, const dlcert_value& device);
  virtual dlcert_runtime_stream current_stream_of(const dlcert_value& device);
  virtual dlcert_runtime_stream default_stream_of(const dlcert_value& device);
  virtual void set_stream(const dlcert_runtime_stream* stream);
  virtual void synchronize_device(const dlcert_value& device);
  virtual void sleep(std::int64_t cycles);
  virtual void ipc_collect();
  virtual std::uint64_t blas_handle();
  virtual void set_sync_debug_mode(const dlcert_value& mode);
  virtual std::int64_t sync_debug_mode();

  virtual std::vector<std::string> architectures();
  virtual std::string gencode_flags();
  virtual std::int64_t parse_architecture(const char* text);
  virtual bool supports_bfloat16(bool including_emulation);
  virtual void set_generator_offset(std::int64_t offset, const dlcert_value& device);
  virtual std::int64_t generator_offset(const dlcert_value& device);

  virtual std::vector<std::string> storage_classes();
  virtual dlcert_dtype storage_dtype(const char* name, bool published);
  virtual void build_storage(const char* name, std::int32_t source);
  virtual GpuObject* gpu_object(const dlcert_value& device);
  virtual std::pair<bool, bool> describe_gpu_object(GpuObject& object);
  virtual void convert_gpu_object(GpuObject& object, const char* type);
  virtual void drop_gpu_object(GpuObject* object);
  virtual std::vector<std::string> registered_kernels();
};

}  // namespace dlcert::reference
