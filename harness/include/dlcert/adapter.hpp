// SPDX-License-Identifier: Apache-2.0
//
// Turns an ordinary C++ class into an adapter.
//
// The class has the methods that its library can serve. If it lacks a method, the table lacks that
// function. A method with the right name and a wrong signature does not compile.
// adapter_functions.hpp lists all methods with their signatures. The C function in the same row
// (adapter.h, adapter_runtime.h, adapter_python.h) defines what a method takes and returns.
//
//   struct Acme {
//     using Tensor = acme::array;      // a tensor: movable; dlcert keeps it on the heap and
//                                      // destroys it when it is released
//     using Capsule = acme::capsule;   // only for libraries with capsules; may be incomplete: this
//                                      // class makes them, and frees them in drop_capsule
//     using Guard = acme::guard;       // only for libraries with device guards; likewise
//     using GpuObject = acme::object;  // only for libraries with such objects; likewise
//
//     const char* name();              // mandatory
//     const char* version();           // mandatory
//
//     bool can(const dlcert_tensor_spec&);
//     Tensor create(const dlcert_tensor_spec&, std::span<const std::byte> logical);
//     dlcert_description describe(Tensor&);
//     dlcert_managed export_managed(Tensor&, const dlcert_request&);
//     Tensor import_managed(dlcert_managed);
//   };
//   DLCERT_ADAPTER(Acme)
//
// The roles follow from the methods. A producer creates and exports, a consumer imports, and a
// runtime has any method of the groups devices, runtime and telemetry.
//
// Calls are serial but may come from any thread. They are concurrent if properties() includes
// DLCERT_THREAD_SAFE. Arguments of a method are valid during the call unless adapter.h says
// otherwise. Memory that a description points to stays valid until its Tensor is destroyed.
//
// Methods report errors by exceptions (adapter_errors.hpp). These methods must not throw, because
// their C functions return no status:
//
//   can, can_import, live_allocations, fail_allocation, close, before_fork, after_fork
//   capsule_name, capsule_pointer, set_capsule_name, drop_capsule, drop_object, drop_guard,
//     drop_gpu_object, python_producer_of, python_unraisable, python_drop_object, and the
//     destructor of Tensor, which is its release
//   name, version, runtime, properties, cxx_facts, c_facts, device_order, stacks_signal, array_api,
//     and the constructor of the class: dlcert calls them once, when it loads the module
//
// If a method of the last group throws, dlcert cannot use the adapter. If one of the others throws,
// the case fails. The worker process crashes instead if the exception leaves a destructor, or if
// dlcert called the method to clean up.
#pragma once

#include <dlcert/adapter.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include <dlcert/adapter_errors.hpp>
#include <dlcert/adapter_methods.hpp>
#include <dlcert/adapter_thunks.hpp>

namespace dlcert::adapter {

// Returns whether a spec asks for a compact row-major tensor: a fresh array, which every library
// has. Ignores read-only and padding flags and the state.
inline bool compact(const dlcert_tensor_spec& spec) {
  if (spec.offset != 0 || (spec.flags & DLCERT_SPEC_BYTE_STRIDES) != 0) return false;
  std::int64_t expected = 1;
  for (std::int32_t axis = spec.ndim; axis-- > 0;) {
    const std::int64_t extent = spec.shape[axis] == 0 ? 1 : spec.shape[axis];
    if (spec.strides[axis] != expected) return false;
    if (expected > std::numeric_limits<std::int64_t>::max() / extent) return false;
    expected *= extent;
  }
  return true;
}

// Methods of the object that import_from() gets. An error of the object is thrown as Refused; a
// missing method is thrown as Refused with DLCERT_ERROR_ATTRIBUTE. Do not catch these exceptions.

// Returns the object's device.
inline dlcert_device dlpack_device(const dlcert_producer& producer) {
  if (producer.dlpack_device == nullptr)
    throw Refused{DLCERT_ERROR_ATTRIBUTE, "the object has no dlpack_device()"};
  dlcert_device device{};
  dlcert_error error{};
  error.struct_size = sizeof error;
  if (producer.dlpack_device(producer.context, &device, &error) != DLCERT_OK) throw Refused{error};
  return device;
}

// Returns what the object exports for `request`. Set request.struct_size first. The caller owns the
// result, also if it then refuses to import it. If result.capsule is not NULL, it is a capsule of
// the adapter class (an A::Capsule): drop it. Otherwise call the deleter of result.managed.
inline dlcert_exported dlpack(const dlcert_producer& producer, const dlcert_request& request) {
  if (producer.dlpack == nullptr)
    throw Refused{DLCERT_ERROR_ATTRIBUTE, "the object has no dlpack()"};
  dlcert_exported exported{};
  exported.struct_size = sizeof exported;
  dlcert_error error{};
  error.struct_size = sizeof error;
  if (producer.dlpack(producer.context, &request, &exported, &error) != DLCERT_OK)
    throw Refused{error};
  return exported;
}

// Makes a queued call of dlcert, or runs the body of a guard, once. Throws the call's error as
// Refused. `context` stays dlcert's.
inline void make(dlcert_queued_call call, void* context) {
  dlcert_error error{};
  error.struct_size = sizeof error;
  if (call(context, &error) != DLCERT_OK) throw Refused{error};
}

// Returns the table of `adapter`, which must outlive the table. Calls name() and the other value
// methods once, now. An object of a class derived from A is served through A's virtual methods.
// DLCERT_ADAPTER calls this function; call it yourself if the class has no default constructor.
template <typename A>
dlcert_adapter table(A& adapter) {
  static_assert(detail::Signatures<A>::check());
  dlcert_adapter table{};
  table.struct_size = sizeof table;
  table.abi_major = DLCERT_ABI_MAJOR;
  table.abi_minor = DLCERT_ABI_MINOR;
  table.roles = detail::roles_of<A>();
  table.self = &adapter;
#define DLCERT_DETAIL_VALUE(slot, method, ...) \
  if constexpr (detail::has_##method<A>) table.slot = adapter.method();
  DLCERT_ADAPTER_VALUES(DLCERT_DETAIL_VALUE)
#undef DLCERT_DETAIL_VALUE
#define DLCERT_DETAIL_GROUP(group, member, functions) \
  if constexpr (detail::has_##group##_group<A>) table.member = &detail::group##_group_of<A>;
  DLCERT_FUNCTION_GROUPS(DLCERT_DETAIL_GROUP)
#undef DLCERT_DETAIL_GROUP
  // A library with tensors has both of these groups; a library that is only a runtime has neither.
  constexpr bool has_tensors = detail::roles_of<A>() != DLCERT_RUNTIME;
  table.tensor = has_tensors ? &detail::tensor_group_of<A> : nullptr;
  table.exchange = has_tensors ? &detail::exchange_group_of<A> : nullptr;
  // Without a function that makes capsules, no other capsule function can be used.
  if constexpr (!detail::has_make_capsule<A>) table.capsule = nullptr;
  detail::Groups<A>::fill(table);
  return table;
}

}  // namespace dlcert::adapter

// Exports class A as this module's adapter. One object is default constructed when dlcert loads the
// module, and destroyed with the module's other static objects. Write this once, at namespace
// scope.
#define DLCERT_ADAPTER(A)                                                                      \
  extern "C" DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(std::uint32_t abi_major) { \
    static A adapter;                                                                          \
    static const dlcert_adapter table = ::dlcert::adapter::table(adapter);                     \
    return abi_major == DLCERT_ABI_MAJOR ? &table : nullptr;                                   \
  }
