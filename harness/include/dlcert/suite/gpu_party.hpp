// SPDX-License-Identifier: Apache-2.0
//
// Devices, runtime and telemetry of a library, as checks see them: groups 6 to 8 of the adapter ABI
// with ownership, errors and a trace. GpuDevices, GpuRuntime and GpuTelemetry are views of a Party,
// which must outlive them. Construct one where you need it: GpuDevices{c.subject()}.
//
// Each method calls the function of its name; adapter_runtime.h defines what it takes and gives.
// Its Outcome holds the library's result or error. If the library lacks the function or the group,
// or cannot form the call, the method throws NotFormable, and the case is not applicable. An answer
// that breaks the ABI fails the case. Any thread may call the methods, one at a time unless the
// library declares DLCERT_THREAD_SAFE.
//
// Methods without a body here are implemented in harness/src/party/gpu_party.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <dlcert/suite/library_call.hpp>
#include <dlcert/suite/party.hpp>

namespace dlcert {

// A build for behave_as(); see dlcert_build. Default: a build with every part and no architecture
// flags.
struct Build {
  bool gpu = true;
  bool runtime_bindings = true;
  bool linear_algebra = true;
  std::int32_t management_bindings = DLCERT_BINDINGS_PRESENT;
  std::string architecture_flags = {};
};

// The compute capability of a device.
struct Capability {
  std::int32_t major = 0;
  std::int32_t minor = 0;
  friend bool operator==(const Capability&, const Capability&) = default;
};
std::string to_text(const Capability& capability);  // "(9, 0)"

// What a GPU object of the library reports: is_cuda and is_sparse.
struct GpuObjectKind {
  bool is_gpu = false;
  bool is_sparse = false;
};

// Returns whether all four members are equal.
bool operator==(const dlcert_runtime_stream& a, const dlcert_runtime_stream& b);

// A call of a check that the library makes, on any thread. It fails by returning an error. If it
// throws, the case ends: the library gets an error instead of the exception. When the library has
// returned, the method of these classes during which the call was made throws the exception.
using QueuedBody = std::function<std::optional<Error>()>;

// A handle of a library that dlcert owns and drops on destruction, before the Party dies.
// Move-only; assignment swaps.
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

namespace library_call {

template <>
struct Answer<Capability> {
  Capability out;
  template <typename Function>
  dlcert_status pass(const Function& function) {
    return function(&out.major, &out.minor);
  }
  std::optional<std::string> text() const { return to_text(out); }
  Capability take(const Party&, std::string_view) const { return out; }
};

template <>
struct Answer<GpuObjectKind> {
  std::int32_t is_gpu = 0;
  std::int32_t is_sparse = 0;
  template <typename Function>
  dlcert_status pass(const Function& function) {
    return function(&is_gpu, &is_sparse);
  }
  static std::optional<std::string> text() { return std::nullopt; }
  GpuObjectKind take(const Party&, std::string_view) const { return {is_gpu != 0, is_sparse != 0}; }
};

template <typename Handle>
struct Answer<GpuOwned<Handle>> {
  Handle* out = nullptr;
  template <typename Function>
  dlcert_status pass(const Function& function) {
    return function(&out);
  }
  static std::optional<std::string> text() { return std::nullopt; }
  GpuOwned<Handle> take(const Party& party, std::string_view function) const {
    expect_object(out, function);
    return {party, out};
  }
};

}  // namespace library_call

// The devices by the environment, the management library and the runtime: group 6. A check needs
// Can::devices.
class GpuDevices : FunctionGroup {
  using Group = dlcert_devices_group;
  using Flag = library_call::Flag;

 public:
  explicit GpuDevices(const Party& party) : FunctionGroup{party} {}

  Outcome<std::vector<std::string>> visible_devices() const {
    return call<std::vector<std::string>>("visible_devices", &Group::visible_devices);
  }
  Outcome<std::int64_t> raw_device_count() const {
    return call<std::int64_t>("raw_device_count", &Group::raw_device_count);
  }
  Outcome<std::optional<std::vector<std::string>>> raw_device_uuids() const {
    return call<std::optional<std::vector<std::string>>>("raw_device_uuids",
                                                         &Group::raw_device_uuids);
  }
  Outcome<std::vector<std::int64_t>> uuids_to_ordinals(const std::vector<std::string>& identifiers,
                                                       const std::vector<std::string>& uuids) const;
  Outcome<std::int64_t> management_device_count() const {
    return call<std::int64_t>("management_device_count", &Group::management_device_count);
  }
  Outcome<std::int64_t> device_count() const {
    return call<std::int64_t>("device_count", &Group::device_count);
  }
  Outcome<bool> is_available() const { return call<bool>("is_available", &Group::is_available); }
  Outcome<std::int64_t> management_index(const dlcert_value& device) const {
    return call<std::int64_t>("management_index", &Group::management_index, device);
  }
  Outcome<std::int64_t> device_index(const dlcert_value& device, bool optional) const {
    return call<std::int64_t>("device_index", &Group::device_index, device,
                              Flag{"optional", optional});
  }
  Outcome<std::string> device_name(const dlcert_value& device) const {
    return call<std::string>("device_name", &Group::device_name, device);
  }
  Outcome<Capability> device_capability(const dlcert_value& device) const {
    return call<Capability>("device_capability", &Group::device_capability, device);
  }
  Outcome<dlcert_device_properties> device_properties(const dlcert_value& device) const {
    return call<dlcert_device_properties>("device_properties", &Group::device_properties, device);
  }
  Outcome<bool> can_access_peer(const dlcert_value& device, const dlcert_value& peer) const {
    return call<bool>("can_access_peer", &Group::can_access_peer, device, peer);
  }
};

// The GPU runtime, its guards and streams, and the effects of a build: group 7. A check needs
// Can::runtime.
class GpuRuntime : FunctionGroup {
  using Group = dlcert_runtime_group;
  using Flag = library_call::Flag;
  using Hexadecimal = library_call::Hexadecimal;
  using Quoted = library_call::Quoted;

 public:
  explicit GpuRuntime(const Party& party) : FunctionGroup{party} {}

  Outcome<std::monostate> behave_as(const Build& build) const;
  Outcome<std::monostate> initialize() const {
    return call<std::monostate>("initialize", &Group::initialize);
  }
  Outcome<bool> is_initialized() const {
    return call<bool>("is_initialized", &Group::is_initialized);
  }
  // Keeps `call` until the process ends. Whatever it refers to must live as long as the library may
  // make the call.
  Outcome<std::monostate> queue(std::int32_t kind, QueuedBody call) const;
  Outcome<const void*> runtime_bindings() const {
    return call<const void*>("runtime_bindings", &Group::runtime_bindings);
  }
  Outcome<std::monostate> check_error(std::int64_t code) const {
    return call<std::monostate>("check_error", &Group::check_error, code);
  }
  Outcome<std::int64_t> constant(std::int32_t which) const {
    return call<std::int64_t>("constant", &Group::constant, which);
  }
  Outcome<std::int64_t> current_device_index() const {
    return call<std::int64_t>("current_device_index", &Group::current_device_index);
  }
  Outcome<std::monostate> set_device(const dlcert_value& device) const {
    return call<std::monostate>("set_device", &Group::set_device, device);
  }
  Outcome<std::int64_t> exchange_device(std::int64_t device) const {
    return call<std::int64_t>("exchange_device", &Group::exchange_device, device);
  }
  Outcome<std::int64_t> maybe_exchange_device(std::int64_t device) const {
    return call<std::int64_t>("maybe_exchange_device", &Group::maybe_exchange_device, device);
  }
  Outcome<Guard> device_guard(const dlcert_value& device) const {
    return call<Guard>("device_guard", &Group::device_guard, device);
  }
  Outcome<Guard> device_of_guard(const dlcert_value& device) const {
    return call<Guard>("device_of_guard", &Group::device_of_guard, device);
  }
  Outcome<Guard> stream_guard(const dlcert_runtime_stream* stream) const {
    return call<Guard>("stream_guard", &Group::stream_guard, stream);
  }
  // Runs `body` once inside the guard, on this thread. The error of the Outcome is the error of
  // `body` or of the guard. The check itself must find out whether `body` ran.
  Outcome<std::monostate> with_guard(const Guard& guard, const QueuedBody& body) const;
  Outcome<dlcert_runtime_stream> new_stream(const dlcert_value& device) const {
    return call<dlcert_runtime_stream>("new_stream", &Group::new_stream, device);
  }
  Outcome<dlcert_runtime_stream> external_stream(std::uint64_t handle,
                                                 const dlcert_value& device) const {
    return call<dlcert_runtime_stream>("external_stream", &Group::external_stream,
                                       Hexadecimal{handle}, device);
  }
  Outcome<dlcert_runtime_stream> current_stream_of(const dlcert_value& device) const {
    return call<dlcert_runtime_stream>("current_stream_of", &Group::current_stream_of, device);
  }
  Outcome<dlcert_runtime_stream> default_stream_of(const dlcert_value& device) const {
    return call<dlcert_runtime_stream>("default_stream_of", &Group::default_stream_of, device);
  }
  Outcome<std::monostate> set_stream(const dlcert_runtime_stream* stream) const {
    return call<std::monostate>("set_stream", &Group::set_stream, stream);
  }
  Outcome<std::monostate> synchronize_device(const dlcert_value& device) const {
    return call<std::monostate>("synchronize_device", &Group::synchronize_device, device);
  }
  Outcome<std::monostate> sleep(std::int64_t cycles) const {
    return call<std::monostate>("sleep", &Group::sleep, cycles);
  }
  Outcome<std::monostate> ipc_collect() const {
    return call<std::monostate>("ipc_collect", &Group::ipc_collect);
  }
  Outcome<std::uint64_t> blas_handle() const {
    return call<std::uint64_t>("blas_handle", &Group::blas_handle);
  }
  Outcome<std::monostate> set_sync_debug_mode(const dlcert_value& mode) const {
    return call<std::monostate>("set_sync_debug_mode", &Group::set_sync_debug_mode, mode);
  }
  Outcome<std::int64_t> sync_debug_mode() const {
    return call<std::int64_t>("sync_debug_mode", &Group::sync_debug_mode);
  }
  Outcome<std::vector<std::string>> architectures() const {
    return call<std::vector<std::string>>("architectures", &Group::architectures);
  }
  Outcome<std::string> gencode_flags() const {
    return call<std::string>("gencode_flags", &Group::gencode_flags);
  }
  Outcome<std::int64_t> parse_architecture(const char* architecture) const {
    return call<std::int64_t>("parse_architecture", &Group::parse_architecture,
                              Quoted{architecture});
  }
  Outcome<bool> supports_bfloat16(bool including_emulation) const {
    return call<bool>("supports_bfloat16", &Group::supports_bfloat16,
                      Flag{"including_emulation", including_emulation});
  }
  Outcome<std::monostate> set_generator_offset(std::int64_t offset,
                                               const dlcert_value& device) const {
    return call<std::monostate>("set_generator_offset", &Group::set_generator_offset, offset,
                                device);
  }
  Outcome<std::int64_t> generator_offset(const dlcert_value& device) const {
    return call<std::int64_t>("generator_offset", &Group::generator_offset, device);
  }
  Outcome<std::vector<std::string>> storage_classes() const {
    return call<std::vector<std::string>>("storage_classes", &Group::storage_classes);
  }
  Outcome<dlcert_dtype> storage_dtype(const char* name, bool published) const {
    return call<dlcert_dtype>("storage_dtype", &Group::storage_dtype, name,
                              Flag{"published", published});
  }
  Outcome<std::monostate> build_storage(const char* name, std::int32_t source) const {
    return call<std::monostate>("build_storage", &Group::build_storage, name, source);
  }
  Outcome<std::vector<std::string>> registered_kernels() const {
    return call<std::vector<std::string>>("registered_kernels", &Group::registered_kernels);
  }
  Outcome<GpuObject> gpu_object(const dlcert_value& device) const {
    return call<GpuObject>("gpu_object", &Group::gpu_object, device);
  }
  // Calls describe_gpu_object.
  Outcome<GpuObjectKind> describe(const GpuObject& object) const;
  // Calls convert_gpu_object: the library converts the object to class `type` ("DoubleStorage") and
  // drops the result at once. `object` stays unchanged.
  Outcome<std::monostate> convert(const GpuObject& object, const char* type) const;
};

// The measurements of the management library for a device: group 8. A check needs Can::telemetry.
class GpuTelemetry : FunctionGroup {
  using Group = dlcert_telemetry_group;

 public:
  explicit GpuTelemetry(const Party& party) : FunctionGroup{party} {}

  Outcome<dlcert_measurement> memory_usage(const dlcert_value& device) const {
    return call<dlcert_measurement>("memory_usage", &Group::memory_usage, device);
  }
  Outcome<dlcert_measurement> utilization(const dlcert_value& device) const {
    return call<dlcert_measurement>("utilization", &Group::utilization, device);
  }
  Outcome<dlcert_measurement> temperature(const dlcert_value& device) const {
    return call<dlcert_measurement>("temperature", &Group::temperature, device);
  }
  Outcome<dlcert_measurement> power_draw(const dlcert_value& device) const {
    return call<dlcert_measurement>("power_draw", &Group::power_draw, device);
  }
  Outcome<dlcert_measurement> clock_rate(const dlcert_value& device) const {
    return call<dlcert_measurement>("clock_rate", &Group::clock_rate, device);
  }
};

}  // namespace dlcert
