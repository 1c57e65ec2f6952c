// SPDX-License-Identifier: Apache-2.0
//
// What a party offers of devices, runtime and telemetry, as checks see it: groups 6 to 8 of the
// adapter ABI with ownership, errors and a trace. What each call means is in adapter_runtime.h. A
// function that the library lacks ends the case as not formable.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <dlcert/suite/party.hpp>

namespace dlcert {

// How a library counts as built.
struct Build {
  bool gpu = true;
  bool runtime_bindings = true;
  bool linear_algebra = true;
  std::int32_t management_bindings = DLCERT_BINDINGS_PRESENT;
  std::string architecture_flags = {};
};

struct Capability {
  std::int32_t major = 0;
  std::int32_t minor = 0;
  friend bool operator==(const Capability&, const Capability&) = default;
};

struct GpuObjectKind {
  bool is_gpu = false;
  bool is_sparse = false;
};

bool operator==(const dlcert_runtime_stream& a, const dlcert_runtime_stream& b);
// "stream 7 of device 1 (type 1, handle 0x10)", "37 percent", "(9, 0)".
std::string to_text(const dlcert_runtime_stream& stream);
std::string to_text(const dlcert_measurement& measurement);
std::string to_text(const Capability& capability);

// What a party owns for the harness: dropped when this dies. Move-only.
template <typename Handle>
class GpuOwned {
 public:
  GpuOwned(const Party& party, Handle* handle) : party_{&party}, handle_{handle} {}
  GpuOwned(const GpuOwned&) = delete;
  GpuOwned& operator=(const GpuOwned&) = delete;
  GpuOwned(GpuOwned&& other) noexcept
      : party_{other.party_}, handle_{std::exchange(other.handle_, nullptr)} {}
  GpuOwned& operator=(GpuOwned&& other) noexcept {
    std::swap(party_, other.party_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~GpuOwned() {
    if (handle_ != nullptr) drop();
  }
  Handle* handle() const { return handle_; }

 private:
  void drop();
  const Party* party_;
  Handle* handle_;
};
using Guard = GpuOwned<dlcert_guard>;
using GpuObject = GpuOwned<dlcert_gpu_object>;
template <>
void Guard::drop();
template <>
void GpuObject::drop();

// A group of functions of a party, which must outlive it.
class GpuGroup {
 protected:
  explicit GpuGroup(const Party& party) : party_{&party} {}
  const Party& party() const { return *party_; }
  std::string_view label() const { return party_->label(); }
  void* self() const { return party_->table().self; }

 private:
  const Party* party_;
};

class GpuDevices : GpuGroup {
 public:
  explicit GpuDevices(const Party& party) : GpuGroup{party} {}

  Outcome<std::vector<std::string>> visible_devices() const;
  Outcome<std::int64_t> raw_device_count() const;
  Outcome<std::optional<std::vector<std::string>>> raw_device_uuids() const;
  Outcome<std::vector<std::int64_t>> uuids_to_ordinals(const std::vector<std::string>& identifiers,
                                                       const std::vector<std::string>& uuids) const;
  Outcome<std::int64_t> management_device_count() const;
  Outcome<std::int64_t> device_count() const;
  Outcome<bool> is_available() const;
  Outcome<std::int64_t> management_index(const dlcert_value& device) const;
  Outcome<std::int64_t> device_index(const dlcert_value& device, bool optional) const;
  Outcome<std::string> device_name(const dlcert_value& device) const;
  Outcome<Capability> device_capability(const dlcert_value& device) const;
  Outcome<dlcert_device_properties> device_properties(const dlcert_value& device) const;
  Outcome<bool> can_access_peer(const dlcert_value& device, const dlcert_value& peer) const;
};

class GpuRuntime : GpuGroup {
 public:
  explicit GpuRuntime(const Party& party) : GpuGroup{party} {}

  Outcome<std::monostate> behave_as(const Build& build) const;
  Outcome<std::monostate> initialize() const;
  Outcome<bool> is_initialized() const;
  // `call` fails by returning an error. It is kept until the process ends.
  Outcome<std::monostate> queue(std::int32_t kind,
                                std::function<std::optional<Error>()> call) const;
  Outcome<const void*> runtime_bindings() const;
  Outcome<std::monostate> check_error(std::int64_t code) const;
  Outcome<std::int64_t> constant(std::int32_t which) const;
  Outcome<std::int64_t> current_device_index() const;
  Outcome<std::monostate> set_device(const dlcert_value& device) const;
  Outcome<std::int64_t> exchange_device(std::int64_t device) const;
  Outcome<std::int64_t> maybe_exchange_device(std::int64_t device) const;
  Outcome<Guard> device_guard(const dlcert_value& device) const;
  Outcome<Guard> device_of_guard(const dlcert_value& device) const;
  Outcome<Guard> stream_guard(const dlcert_runtime_stream* stream) const;
  // The error that comes out of it: that of `body`, or the guard's own.
  Outcome<std::monostate> with_guard(const Guard& guard,
                                     const std::function<std::optional<Error>()>& body) const;
  Outcome<dlcert_runtime_stream> new_stream(const dlcert_value& device) const;
  Outcome<dlcert_runtime_stream> external_stream(std::uint64_t handle,
                                                 const dlcert_value& device) const;
  Outcome<dlcert_runtime_stream> current_stream_of(const dlcert_value& device) const;
  Outcome<dlcert_runtime_stream> default_stream_of(const dlcert_value& device) const;
  Outcome<std::monostate> set_stream(const dlcert_runtime_stream* stream) const;
  Outcome<std::monostate> synchronize_device(const dlcert_value& device) const;
  Outcome<std::monostate> sleep(std::int64_t cycles) const;
  Outcome<std::monostate> ipc_collect() const;
  Outcome<std::uint64_t> blas_handle() const;
  Outcome<std::monostate> set_sync_debug_mode(const dlcert_value& mode) const;
  Outcome<std::int64_t> sync_debug_mode() const;
  Outcome<std::vector<std::string>> architectures() const;
  Outcome<std::string> gencode_flags() const;
  Outcome<std::int64_t> parse_architecture(const char* architecture) const;
  Outcome<bool> supports_bfloat16(bool including_emulation) const;
  Outcome<std::monostate> set_generator_offset(std::int64_t offset,
                                               const dlcert_value& device) const;
  Outcome<std::int64_t> generator_offset(const dlcert_value& device) const;
  Outcome<std::vector<std::string>> storage_classes() const;
  Outcome<dlcert_dtype> storage_dtype(const char* name, bool published) const;
  Outcome<std::monostate> build_storage(const char* name, std::int32_t source) const;
  Outcome<GpuObject> gpu_object(const dlcert_value& device) const;
  Outcome<GpuObjectKind> describe(const GpuObject& object) const;
  Outcome<std::monostate> convert(const GpuObject& object, const char* type) const;
};

class GpuTelemetry : GpuGroup {
 public:
  explicit GpuTelemetry(const Party& party) : GpuGroup{party} {}

  Outcome<dlcert_measurement> memory_usage(const dlcert_value& device) const;
  Outcome<dlcert_measurement> utilization(const dlcert_value& device) const;
  Outcome<dlcert_measurement> temperature(const dlcert_value& device) const;
  Outcome<dlcert_measurement> power_draw(const dlcert_value& device) const;
  Outcome<dlcert_measurement> clock_rate(const dlcert_value& device) const;
};

}  // namespace dlcert
