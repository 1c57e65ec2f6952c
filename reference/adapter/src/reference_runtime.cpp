// SPDX-License-Identifier: Apache-2.0
#include "dlcert/reference_runtime.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <variant>

#include <dlcert/adapter.hpp>

#include "dlcert/cuda/runtime_status.hpp"
#include "dlcert/driver/select.hpp"

#include "gpu_arguments.hpp"
#include "gpu_errors.hpp"
#include "runtime_arguments.hpp"

namespace dlcert::reference {
namespace {

// A block of reference/cuda behind the ABI's one type of guards.
template <class Context>
class ContextGuard final : public RuntimeGuard {
 public:
  explicit ContextGuard(std::unique_ptr<Context> context) : context_{std::move(context)} {}
  void enter() override { context_->enter(); }
  void exit() override { context_->exit(); }

 private:
  std::unique_ptr<Context> context_;
};

template <class Context>
RuntimeGuard* new_guard(std::unique_ptr<Context> context) {
  return new ContextGuard<Context>{std::move(context)};
}

// Throws what the call reports.
void call_back(dlcert_queued_call call, void* context) {
  dlcert_error error{};
  error.struct_size = sizeof error;
  if (call(context, &error) != DLCERT_OK) throw adapter::Refused{error};
}

cuda::CallKind call_kind_of(std::int32_t kind) {
  switch (kind) {
    case DLCERT_CALL_PLAIN:
      return cuda::CallKind::plain;
    case DLCERT_CALL_SEED:
      return cuda::CallKind::seed;
    case DLCERT_CALL_SEED_ALL:
      return cuda::CallKind::seed_all;
    default:
      throw adapter::NotFormable{};
  }
}

std::variant<std::int64_t, std::string> sync_debug_mode_of(const dlcert_value& mode) {
  if (mode.tag == DLCERT_INT) return mode.first;
  if (mode.tag == DLCERT_TEXT) return std::string{mode.text};
  throw adapter::NotFormable{};
}

bool means_gpu(const cuda::DeviceArgument& device) {
  if (const auto* const named = std::get_if<cuda::Device>(&device)) return named->type == "cuda";
  if (const auto* const text = std::get_if<std::string>(&device))
    return cuda::parse_device(*text).type == "cuda";
  return true;
}

// Small, and of a type that can be converted to each of the others.
std::unique_ptr<cuda::GpuObject> new_object(cuda::Cuda& library,
                                            const cuda::DeviceArgument& device) {
  const cuda::DeviceGuard guard{library.devices(), device};
  return std::make_unique<cuda::GpuObject>(library.devices(), "float32", 4);
}

}  // namespace

RuntimeGuard::~RuntimeGuard() = default;

void ReferenceRuntime::behave_as(const dlcert_build& build) {
  rebuild(build_of(build, driver::driver().vendor()));
}

// ---- what the runtime says of its devices -------------------------------------------------------

std::string ReferenceRuntime::device_name(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return library().properties().name(device_argument_of(device)); });
}

std::pair<std::int32_t, std::int32_t> ReferenceRuntime::device_capability(
    const dlcert_value& device) {
  return reporting_gpu_errors([&] {
    const auto capability = library().properties().capability(device_argument_of(device));
    return std::pair<std::int32_t, std::int32_t>{capability.major, capability.minor};
  });
}

dlcert_device_properties ReferenceRuntime::device_properties(const dlcert_value& device) {
  return reporting_gpu_errors([&] {
    const auto found = library().properties().of(device_argument_of(device));
    dlcert_device_properties properties{};
    properties.struct_size = sizeof properties;
    properties.major = found.major;
    properties.minor = found.minor;
    properties.total_memory = found.total_memory;
    const std::string_view name{found.name};
    name.copy(properties.name, sizeof properties.name - 1);
    return properties;
  });
}

bool ReferenceRuntime::can_access_peer(const dlcert_value& device, const dlcert_value& peer) {
  return reporting_gpu_errors([&] {
    return library().properties().can_access_peer(device_argument_of(device),
                                                  device_argument_of(peer));
  });
}

// ---- initialization -----------------------------------------------------------------------------

void ReferenceRuntime::initialize() {
  reporting_gpu_errors([&] { library().initialization().initialize(); });
}

bool ReferenceRuntime::is_initialized() {
  return library().initialization().initialized();
}

void ReferenceRuntime::queue(std::int32_t kind, dlcert_queued_call call, void* context) {
  cuda::CallPlace place = cuda::CallPlace::here();
  reporting_gpu_errors([&] {
    library().initialization().queue([call, context] { call_back(call, context); },
                                     std::move(place), call_kind_of(kind));
  });
}

const void* ReferenceRuntime::runtime_bindings() {
  return reporting_gpu_errors([&]() -> const void* { return &library().cudart(); });
}

void ReferenceRuntime::check_error(std::int64_t code) {
  reporting_gpu_errors([&] { cuda::check_error(static_cast<int>(code)); });
}

std::int64_t ReferenceRuntime::constant(std::int32_t which) {
  switch (which) {
    case DLCERT_CONSTANT_STATUS_SUCCESS:
      return cuda::published_success;
    case DLCERT_CONSTANT_STATUS_NOT_READY:
      return cuda::published_not_ready;
    case DLCERT_CONSTANT_HAS_HALF:
      return cuda::Cuda::has_half ? 1 : 0;
    case DLCERT_CONSTANT_HAS_LINEAR_ALGEBRA:
      return library().has_magma() ? 1 : 0;
    case DLCERT_CONSTANT_DEFAULT_GENERATORS:
      return static_cast<std::int64_t>(library().generators().defaults().size());
    default:
      throw adapter::NotFormable{};
  }
}

// ---- devices and guards -------------------------------------------------------------------------

std::int64_t ReferenceRuntime::current_device_index() {
  return reporting_gpu_errors([&] { return library().devices().current(); });
}

void ReferenceRuntime::set_device(const dlcert_value& device) {
  reporting_gpu_errors([&] { library().devices().set(device_argument_of(device)); });
}

std::int64_t ReferenceRuntime::exchange_device(std::int64_t device) {
  return reporting_gpu_errors([&] { return library().devices().exchange(device); });
}

std::int64_t ReferenceRuntime::maybe_exchange_device(std::int64_t device) {
  return reporting_gpu_errors([&] { return library().devices().maybe_exchange(device); });
}

ReferenceRuntime::Guard* ReferenceRuntime::device_guard(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return new_guard(library().device(device_argument_of(device))); });
}

ReferenceRuntime::Guard* ReferenceRuntime::device_of_guard(const dlcert_value& device) {
  return reporting_gpu_errors([&] {
    const cuda::DeviceArgument argument = device_argument_of(device);
    if (!means_gpu(argument)) return new_guard(library().device_of({}));
    const auto object = new_object(library(), argument);
    return new_guard(library().device_of({.on_gpu = true, .device = object->device()}));
  });
}

ReferenceRuntime::Guard* ReferenceRuntime::stream_guard(const dlcert_runtime_stream* stream) {
  return reporting_gpu_errors([&] {
    return new_guard(
        library().stream(stream == nullptr ? std::nullopt : std::optional{stream_of(*stream)}));
  });
}

void ReferenceRuntime::with_guard(Guard& guard, dlcert_queued_call body, void* context) {
  reporting_gpu_errors([&] {
    guard.enter();
    try {
      call_back(body, context);
    } catch (...) {
      guard.exit();
      throw;
    }
    guard.exit();
  });
}

void ReferenceRuntime::drop_guard(Guard* guard) {
  delete guard;
}

// ---- streams and work ---------------------------------------------------------------------------

dlcert_runtime_stream ReferenceRuntime::new_stream(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return stream_of(library().streams().take(device_argument_of(device))); });
}

dlcert_runtime_stream ReferenceRuntime::external_stream(std::uint64_t handle,
                                                        const dlcert_value& device) {
  return reporting_gpu_errors([&] {
    return stream_of(library().streams().external(static_cast<std::uintptr_t>(handle),
                                                  device_argument_of(device)));
  });
}

dlcert_runtime_stream ReferenceRuntime::current_stream_of(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return stream_of(library().streams().current(device_argument_of(device))); });
}

dlcert_runtime_stream ReferenceRuntime::default_stream_of(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return stream_of(library().streams().default_stream(device_argument_of(device))); });
}

void ReferenceRuntime::set_stream(const dlcert_runtime_stream* stream) {
  reporting_gpu_errors([&] {
    if (stream == nullptr) return library().streams().set(std::nullopt);
    library().streams().set(stream->id, stream->device_index,
                            static_cast<int>(stream->device_type));
  });
}

void ReferenceRuntime::synchronize_device(const dlcert_value& device) {
  reporting_gpu_errors([&] { library().work().synchronize(device_argument_of(device)); });
}

void ReferenceRuntime::sleep(std::int64_t cycles) {
  reporting_gpu_errors([&] { library().work().sleep(cycles); });
}

void ReferenceRuntime::ipc_collect() {
  reporting_gpu_errors([&] { library().work().ipc_collect(); });
}

std::uint64_t ReferenceRuntime::blas_handle() {
  return reporting_gpu_errors([&] { return std::uint64_t{library().work().blas_handle()}; });
}

void ReferenceRuntime::set_sync_debug_mode(const dlcert_value& mode) {
  reporting_gpu_errors([&] { library().work().set_sync_debug_mode(sync_debug_mode_of(mode)); });
}

std::int64_t ReferenceRuntime::sync_debug_mode() {
  return reporting_gpu_errors([&] { return std::int64_t{library().work().sync_debug_mode()}; });
}

// ---- architectures and generators ---------------------------------------------------------------

std::vector<std::string> ReferenceRuntime::architectures() {
  return reporting_gpu_errors([&] { return library().architectures().list(); });
}

std::string ReferenceRuntime::gencode_flags() {
  return reporting_gpu_errors([&] { return library().architectures().gencode_flags(); });
}

std::int64_t ReferenceRuntime::parse_architecture(const char* text) {
  return reporting_gpu_errors([&] { return std::int64_t{cuda::parse_architecture(text)}; });
}

bool ReferenceRuntime::supports_bfloat16(bool including_emulation) {
  return reporting_gpu_errors(
      [&] { return library().architectures().supports_bf16(including_emulation); });
}

void ReferenceRuntime::set_generator_offset(std::int64_t offset, const dlcert_value& device) {
  reporting_gpu_errors([&] {
    library().generators().set_offset(static_cast<std::uint64_t>(offset),
                                      device_argument_of(device));
  });
}

std::int64_t ReferenceRuntime::generator_offset(const dlcert_value& device) {
  return reporting_gpu_errors([&] {
    return static_cast<std::int64_t>(library().generators().offset(device_argument_of(device)));
  });
}

// ---- storages and objects -----------------------------------------------------------------------

std::vector<std::string> ReferenceRuntime::storage_classes() {
  std::vector<std::string> names;
  for (const cuda::StorageClass& each : cuda::storage_classes())
    names.emplace_back(each.name);
  return names;
}

dlcert_dtype ReferenceRuntime::storage_dtype(const char* name, bool published) {
  return reporting_gpu_errors([&] {
    const cuda::Storages& storages = library().storages();
    return dtype_named(published ? storages.dtype(name) : storages.private_dtype(name));
  });
}

void ReferenceRuntime::build_storage(const char* name, std::int32_t source) {
  reporting_gpu_errors([&] {
    const cuda::Storages& storages = library().storages();
    if (source == DLCERT_STORAGE_FROM_BUFFER)
      storages.from_buffer(name);
    else if (source == DLCERT_STORAGE_FROM_WEAK_POINTER)
      storages.from_weak_pointer(name);
    else if (source == DLCERT_STORAGE_FROM_SHARED_FILE)
      storages.from_shared_file_name(name);
    else
      throw adapter::NotFormable{};
  });
}

ReferenceRuntime::GpuObject* ReferenceRuntime::gpu_object(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return new_object(library(), device_argument_of(device)).release(); });
}

std::pair<bool, bool> ReferenceRuntime::describe_gpu_object(GpuObject&) {
  return {GpuObject::is_cuda, GpuObject::is_sparse};
}

void ReferenceRuntime::convert_gpu_object(GpuObject& object, const char* type) {
  reporting_gpu_errors(
      [&] { static_cast<void>(object.type(library().storages().private_dtype(type))); });
}

std::vector<std::string> ReferenceRuntime::registered_kernels() {
  return library().kernels().registered();
}

void ReferenceRuntime::drop_gpu_object(GpuObject* object) {
  delete object;
}

}  // namespace dlcert::reference
