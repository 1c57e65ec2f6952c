// SPDX-License-Identifier: Apache-2.0
//
// The functions of the adapter ABI, one row each. The C declarations of adapter.h,
// adapter_runtime.h and adapter_python.h define what a function does. A row here gives the name and
// signature of the method by which a C++ adapter class (adapter.hpp) provides the function:
//
//   F(slot, method, signature)   slot: the member of the C group; signature: a C++ function type
//
// If `method` is no_method, no class has such a method; adapter_thunks.hpp has the function. A
// method may be const, virtual or static if it can still be called as the signature says. Its
// result must have exactly the type of the signature. A method never returns NULL for an object
// that it makes; the C function defines who owns the object.
//
// These lists generate the detection of a class's methods, the check of their signatures
// (adapter_methods.hpp), the C functions and groups (adapter_thunks.hpp) and the output of `dlcert
// smoke`. Rows stand in the order of the group; the static_asserts below check the order. Append a
// new function at the end of its group and of its list.
//
// Tensor, Capsule, Guard and GpuObject are types of the adapter class. adapter_thunks.hpp converts
// the C parameters of a slot to the parameters and result of the method.
#pragma once

#include <dlcert/adapter.h>

#include <array>
#include <cstddef>
#include <cstdint>

#define DLCERT_TENSOR_FUNCTIONS(F)                                                              \
  F(can, can, bool(const dlcert_tensor_spec& spec)) /* absent: every spec is claimed */         \
  F(create, create, Tensor(const dlcert_tensor_spec& spec, std::span<const std::byte> logical)) \
  F(describe, describe, dlcert_description(Tensor&))                                            \
  F(read, read, void(Tensor&, std::span<std::byte> logical))                                    \
  F(write, write, void(Tensor&, std::span<const std::byte> logical))                            \
  F(release, no_method, void(Tensor*)) /* destroys the Tensor */                                \
  F(alias, alias, Tensor(Tensor&))                                                              \
  F(live_allocations, live_allocations, std::int64_t())                                         \
  F(fail_allocation, fail_allocation, void(std::int64_t successes))                             \
  F(can_import, can_import,                                                                     \
    bool(const dlcert_tensor_spec& spec)) /* absent: can() answers for both roles */

#define DLCERT_EXCHANGE_FUNCTIONS(F)                                                \
  F(dlpack_device, dlpack_device, dlcert_device(Tensor&))                           \
  F(export_managed, export_managed, dlcert_managed(Tensor&, const dlcert_request&)) \
  F(import_managed, import_managed, Tensor(dlcert_managed))                         \
  F(import_from, import_from, Tensor(const dlcert_producer&, const dlcert_import_request&))

#define DLCERT_CAPSULE_FUNCTIONS(F)                                                           \
  F(make, make_capsule, Capsule*(void* pointer, const char* name, dlcert_capsule_destructor)) \
  F(name, capsule_name, const char*(Capsule&))                                                \
  F(pointer, capsule_pointer, void*(Capsule&, const char* name))                              \
  F(set_name, set_capsule_name, void(Capsule&, const char* name))                             \
  F(drop, drop_capsule, void(Capsule*))                                                       \
  F(export_capsule, export_capsule, Capsule*(Tensor&, const dlcert_request&))                 \
  F(import_capsule, import_capsule, Tensor(Capsule&))                                         \
  F(to_dlpack, to_dlpack, Capsule*(Tensor&))

#define DLCERT_STREAM_FUNCTIONS(F)                                                 \
  F(run_with_stream, run_with_stream,                                              \
    void(dlcert_device, std::uint64_t stream, void (*body)(void*), void* context)) \
  F(current_stream, current_stream, std::uint64_t(dlcert_device))                  \
  F(synchronize, synchronize, void(dlcert_device))                                 \
  F(current_device, current_device, std::int32_t(std::int32_t device_type))

#define DLCERT_EXCHANGE_API_FUNCTIONS(F)                                   \
  F(table, exchange_table, const void*()) /* a const DLPackExchangeAPI* */ \
  F(object_of, object_of, void*(Tensor&))                                  \
  F(tensor_of, tensor_of, Tensor(void* object))                            \
  F(drop_object, drop_object, void(void* object))                          \
  F(take_error, take_object_error, void()) /* throws the error that is set on this thread */

#define DLCERT_DEVICES_FUNCTIONS(F)                                                             \
  F(visible_devices, visible_devices, std::vector<std::string>())                               \
  F(raw_device_count, raw_device_count, std::int64_t())                                         \
  F(raw_device_uuids, raw_device_uuids, std::optional<std::vector<std::string>>())              \
  F(uuids_to_ordinals, uuids_to_ordinals,                                                       \
    std::vector<std::int64_t>(std::span<const char* const> identifiers,                         \
                              std::span<const char* const> uuids))                              \
  F(management_device_count, management_device_count, std::int64_t())                           \
  F(device_count, device_count, std::int64_t())                                                 \
  F(is_available, is_available, bool())                                                         \
  F(management_index, management_index, std::int64_t(const dlcert_value& device))               \
  F(device_index, device_index, std::int64_t(const dlcert_value& device, bool optional))        \
  F(device_name, device_name, std::string(const dlcert_value& device))                          \
  F(device_capability, device_capability,                                                       \
    std::pair<std::int32_t, std::int32_t>(const dlcert_value& device))                          \
  F(device_properties, device_properties, dlcert_device_properties(const dlcert_value& device)) \
  F(can_access_peer, can_access_peer, bool(const dlcert_value& device, const dlcert_value& peer))

#define DLCERT_RUNTIME_FUNCTIONS(F)                                                                \
  F(behave_as, behave_as, void(const dlcert_build&))                                               \
  F(initialize, initialize, void())                                                                \
  F(is_initialized, is_initialized, bool())                                                        \
  F(queue, queue, void(std::int32_t kind, dlcert_queued_call, void* context))                      \
  F(runtime_bindings, runtime_bindings, const void*())                                             \
  F(check_error, check_error, void(std::int64_t code))                                             \
  F(constant, constant, std::int64_t(std::int32_t which))                                          \
  F(current_device_index, current_device_index, std::int64_t())                                    \
  F(set_device, set_device, void(const dlcert_value& device))                                      \
  F(exchange_device, exchange_device, std::int64_t(std::int64_t device))                           \
  F(maybe_exchange_device, maybe_exchange_device, std::int64_t(std::int64_t device))               \
  F(device_guard, device_guard, Guard*(const dlcert_value& device))                                \
  F(device_of_guard, device_of_guard, Guard*(const dlcert_value& device))                          \
  F(stream_guard, stream_guard, Guard*(const dlcert_runtime_stream*))                              \
  F(with_guard, with_guard, void(Guard&, dlcert_queued_call body, void* context))                  \
  F(drop_guard, drop_guard, void(Guard*))                                                          \
  F(new_stream, new_stream, dlcert_runtime_stream(const dlcert_value& device))                     \
  F(external_stream, external_stream,                                                              \
    dlcert_runtime_stream(std::uint64_t handle, const dlcert_value& device))                       \
  F(current_stream_of, current_stream_of, dlcert_runtime_stream(const dlcert_value& device))       \
  F(default_stream_of, default_stream_of, dlcert_runtime_stream(const dlcert_value& device))       \
  F(set_stream, set_stream, void(const dlcert_runtime_stream*))                                    \
  F(synchronize_device, synchronize_device, void(const dlcert_value& device))                      \
  F(sleep, sleep, void(std::int64_t cycles))                                                       \
  F(ipc_collect, ipc_collect, void())                                                              \
  F(blas_handle, blas_handle, std::uint64_t())                                                     \
  F(set_sync_debug_mode, set_sync_debug_mode, void(const dlcert_value& mode))                      \
  F(sync_debug_mode, sync_debug_mode, std::int64_t())                                              \
  F(architectures, architectures, std::vector<std::string>())                                      \
  F(gencode_flags, gencode_flags, std::string())                                                   \
  F(parse_architecture, parse_architecture, std::int64_t(const char* text))                        \
  F(supports_bfloat16, supports_bfloat16, bool(bool including_emulation))                          \
  F(set_generator_offset, set_generator_offset,                                                    \
    void(std::int64_t offset, const dlcert_value& device))                                         \
  F(generator_offset, generator_offset, std::int64_t(const dlcert_value& device))                  \
  F(storage_classes, storage_classes, std::vector<std::string>())                                  \
  F(storage_dtype, storage_dtype, dlcert_dtype(const char* name, bool published))                  \
  F(build_storage, build_storage, void(const char* name, std::int32_t source))                     \
  F(gpu_object, gpu_object, GpuObject*(const dlcert_value& device))                                \
  F(describe_gpu_object, describe_gpu_object, std::pair<bool, bool>(GpuObject&)) /* GPU, sparse */ \
  F(convert_gpu_object, convert_gpu_object, void(GpuObject&, const char* type))                    \
  F(drop_gpu_object, drop_gpu_object, void(GpuObject*))                                            \
  F(registered_kernels, registered_kernels, std::vector<std::string>())

#define DLCERT_TELEMETRY_FUNCTIONS(F)                                           \
  F(memory_usage, memory_usage, dlcert_measurement(const dlcert_value& device)) \
  F(utilization, utilization, dlcert_measurement(const dlcert_value& device))   \
  F(temperature, temperature, dlcert_measurement(const dlcert_value& device))   \
  F(power_draw, power_draw, dlcert_measurement(const dlcert_value& device))     \
  F(clock_rate, clock_rate, dlcert_measurement(const dlcert_value& device))

#define DLCERT_PYTHON_FUNCTIONS(F)                                                                 \
  F(evaluate, python_evaluate, std::string(Tensor*, const char* expression))                       \
  F(evaluate_capsule, python_capsule, Capsule*(Tensor*, const char* expression))                   \
  F(import_object, python_import, Tensor(const dlcert_python_object&, const char* expression))     \
  F(producer_of, python_producer_of, const dlcert_producer*(void* py_object))                      \
  F(run, python_run,                                                                               \
    bool(std::int32_t how, void (*body)(void*), void* context)) /* whether it kept the error */    \
  F(unraisable, python_unraisable, void(const dlcert_text_list* out))                              \
  F(finalize, python_finalize, void())                                                             \
  F(source, python_source,                                                                         \
    std::string(std::int32_t what, const dlcert_tensor_spec*, std::span<const std::byte> logical)) \
  F(object_of, python_object_of, void*(Tensor&))                                                   \
  F(drop_object, python_drop_object, void(void* py_object))                                        \
  F(import_any, python_import_any, Tensor(void* py_object, const dlcert_import_request&))

// G(name, member, functions): the group dlcert_<name>_group, to which dlcert_adapter::<member>
// points.
#define DLCERT_FUNCTION_GROUPS(G)                              \
  G(tensor, tensor, DLCERT_TENSOR_FUNCTIONS)                   \
  G(exchange, exchange, DLCERT_EXCHANGE_FUNCTIONS)             \
  G(capsule, capsule, DLCERT_CAPSULE_FUNCTIONS)                \
  G(stream, stream, DLCERT_STREAM_FUNCTIONS)                   \
  G(exchange_api, exchange_api, DLCERT_EXCHANGE_API_FUNCTIONS) \
  G(devices, devices, DLCERT_DEVICES_FUNCTIONS)                \
  G(runtime, gpu_runtime, DLCERT_RUNTIME_FUNCTIONS)            \
  G(telemetry, telemetry, DLCERT_TELEMETRY_FUNCTIONS)          \
  G(python, python, DLCERT_PYTHON_FUNCTIONS)

// The members of dlcert_adapter itself. First the values: dlcert calls each method once and uses
// the result as long as the module is loaded. name() and version() are mandatory. Then four
// functions.
#define DLCERT_ADAPTER_VALUES(F)                        \
  F(name, name, const char*())                          \
  F(version, version, const char*())                    \
  F(runtime, runtime, const char*())                    \
  F(properties, properties, std::uint32_t())            \
  F(cxx_facts, cxx_facts, const dlcert_dlpack_facts*()) \
  F(c_facts, c_facts, const dlcert_dlpack_facts*())     \
  F(device_order, device_order, const char*())          \
  F(stacks_signal, stacks_signal, std::int32_t())       \
  F(array_api, array_api, const char*())

#define DLCERT_ADAPTER_FUNCTIONS(F)       \
  F(open, open, void(const dlcert_host&)) \
  F(close, close, void())                 \
  F(before_fork, before_fork, void())     \
  F(after_fork, after_fork, void(bool in_child))

namespace dlcert::adapter {

// The list of a group, for programs: Functions<dlcert_stream_group>.
//   name          the name of the group in `dlcert smoke`
//   member        the member of dlcert_adapter that points to the group
//   offsets       the offsets of its functions, in bytes and in order, then the size of the group
//   each(visit)   calls visit("run_with_stream", &dlcert_stream_group::run_with_stream), ...
template <typename Group>
struct Functions;

#define DLCERT_DETAIL_VISIT(slot, method, ...) visit(#slot, &Group::slot);
#define DLCERT_DETAIL_OFFSET(slot, method, ...) offsetof(Group, slot),
#define DLCERT_DETAIL_FUNCTIONS(group, pointer, functions)                              \
  template <>                                                                           \
  struct Functions<dlcert_##group##_group> {                                            \
    using Group = dlcert_##group##_group;                                               \
    static constexpr const char* name = #group;                                         \
    static constexpr auto member = &dlcert_adapter::pointer;                            \
    static constexpr std::array offsets{functions(DLCERT_DETAIL_OFFSET) sizeof(Group)}; \
    template <typename Visit>                                                           \
    static constexpr void each(const Visit& visit) {                                    \
      functions(DLCERT_DETAIL_VISIT)                                                    \
    }                                                                                   \
  };
DLCERT_FUNCTION_GROUPS(DLCERT_DETAIL_FUNCTIONS)
#undef DLCERT_DETAIL_FUNCTIONS
#undef DLCERT_DETAIL_OFFSET
#undef DLCERT_DETAIL_VISIT

// Calls visit(Functions<Group>{}) for each group.
template <typename Visit>
constexpr void each_group(const Visit& visit) {
#define DLCERT_DETAIL_VISIT(group, member, functions) visit(Functions<dlcert_##group##_group>{});
  DLCERT_FUNCTION_GROUPS(DLCERT_DETAIL_VISIT)
#undef DLCERT_DETAIL_VISIT
}

namespace detail {

// Returns whether the list names every function of the group in the group's order. The first
// function stands after struct_size and reserved, each further one where its predecessor ends, and
// the last at the end of the group.
template <typename Group>
constexpr bool complete() {
  std::size_t expected = 2 * sizeof(std::uint32_t);
  for (const std::size_t offset : Functions<Group>::offsets) {
    if (offset != expected) return false;
    expected += sizeof(void (*)());
  }
  return true;
}

#define DLCERT_DETAIL_COMPLETE(group, member, functions) \
  static_assert(complete<dlcert_##group##_group>(),      \
                #functions " must name the functions of dlcert_" #group "_group in their order");
DLCERT_FUNCTION_GROUPS(DLCERT_DETAIL_COMPLETE)
#undef DLCERT_DETAIL_COMPLETE

}  // namespace detail

}  // namespace dlcert::adapter
