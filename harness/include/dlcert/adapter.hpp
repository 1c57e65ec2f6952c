// SPDX-License-Identifier: Apache-2.0
//
// Turns an ordinary C++ class into an adapter. The class has the methods that its library can
// serve; a method that it lacks is absent from the table, and one with the right name and a wrong
// signature does not compile. All methods, with their signatures, are listed in
// adapter_functions.hpp; what each means is said at the C function of the same row (adapter.h,
// adapter_runtime.h). Methods report errors by throwing (adapter_errors.hpp), but for those whose C
// function has no status to report them by, which must not throw:
//
//   can, can_import, live_allocations, fail_allocation, close
//   capsule_name, capsule_pointer, set_capsule_name, drop_capsule, drop_object, drop_guard,
//     drop_gpu_object, and the destructor of Tensor, which is its release
//   name, version, runtime, properties, cxx_facts, c_facts, device_order, and the constructor of
//     the class: dlcert calls them once, when it loads the module
//
// What one of these throws fails the case of the check that called it, or crashes the worker where
// it was called to clean up, as a destructor that throws always does. Of the last group it leaves
// dlcert without the adapter.
//
//   struct Acme {
//     using Tensor = acme::array;      // what stands for a tensor: movable; dlcert keeps it on the
//                                      // heap and destroys it when it is released
//     using Capsule = acme::capsule;   // only for libraries with capsules; may be incomplete: this
//                                      // class makes them, and frees them in drop_capsule
//     using Guard = acme::guard;       // only for libraries with device guards; likewise
//     using GpuObject = acme::object;  // likewise
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
// The roles follow from the methods: a producer creates and exports, a consumer imports, a runtime
// has any method of the groups devices, runtime and telemetry.
//
// Calls are serial but may come from any thread; with DLCERT_THREAD_SAFE among properties() they
// are concurrent. What a method gets is valid during the call unless adapter.h says otherwise; what
// a description points to is valid until its Tensor is destroyed.
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

// Whether a spec asks for a compact row-major tensor: a fresh array, as every library has it. Of
// read-only, padded and state it says nothing.
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

// The methods of an object that is imported from, for import_from. What the object reports, and an
// AttributeError where it lacks the method, is thrown as Refused; let it pass.

// The object's device.
inline dlcert_device dlpack_device(const dlcert_producer& producer) {
  if (producer.dlpack_device == nullptr)
    throw Refused{DLCERT_ERROR_ATTRIBUTE, "the object has no dlpack_device()"};
  dlcert_device device{};
  dlcert_error error{};
  error.struct_size = sizeof error;
  if (producer.dlpack_device(producer.context, &device, &error) != DLCERT_OK) throw Refused{error};
  return device;
}

// What the object exports on `request`, whose struct_size is set. The caller owns it: the capsule,
// which is one of its own (an A::Capsule), where that is not NULL, to be dropped; else the managed
// tensor, whose deleter it calls. That holds too if it refuses to import it afterwards.
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

// Makes a call that the harness queued, or the body of a guard, once; throws as Refused what it
// reports. `context` stays the harness's.
inline void make(dlcert_queued_call call, void* context) {
  dlcert_error error{};
  error.struct_size = sizeof error;
  if (call(context, &error) != DLCERT_OK) throw Refused{error};
}

// The table of `adapter`, which must outlive it; it asks name() and the other values of the class
// now. Classes derived from A are served through A's (virtual) methods. DLCERT_ADAPTER calls it;
// call it yourself where the class is not default constructible.
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
  // A library of tensors has both of these; one of devices and runtime alone has neither.
  constexpr bool has_tensors = detail::roles_of<A>() != DLCERT_RUNTIME;
  table.tensor = has_tensors ? &detail::tensor_group_of<A> : nullptr;
  table.exchange = has_tensors ? &detail::exchange_group_of<A> : nullptr;
  // Nothing can be done with capsules that cannot be made.
  if constexpr (!detail::has_make_capsule<A>) table.capsule = nullptr;
  detail::Groups<A>::fill(table);
  return table;
}

}  // namespace dlcert::adapter

// Exports class A as this module's adapter: one object, default constructed when dlcert loads the
// module and destroyed with the module's other static objects. Write it once, at namespace scope.
#define DLCERT_ADAPTER(A)                                                                      \
  extern "C" DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(std::uint32_t abi_major) { \
    static A adapter;                                                                          \
    static const dlcert_adapter table = ::dlcert::adapter::table(adapter);                     \
    return abi_major == DLCERT_ABI_MAJOR ? &table : nullptr;                                   \
  }
