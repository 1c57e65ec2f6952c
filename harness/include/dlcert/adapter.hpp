// SPDX-License-Identifier: Apache-2.0
//
// Turns an ordinary C++ class into an adapter. The class has the methods that its library can
// serve, under the names and with the signatures below; a method that it lacks is absent from the
// table, and one with the right name and a wrong signature does not compile. Methods report errors
// by throwing: see `classify`.
//
//   struct Acme {
//     using Tensor = acme::array;                    // what the harness holds; movable, boxed by
//     this header using Capsule = acme::capsule;                 // only for libraries with
//     capsules; an incomplete type will do
//
//     const char* name();                            // mandatory
//     const char* version();                         // mandatory
//     const char* runtime();
//     std::uint32_t properties();                    // DLCERT_FAITHFUL_ERRORS | ...
//     const char* device_order();                    // where it is documented
//     const dlcert_dlpack_facts* cxx_facts();        // dlpack_facts.h
//     const dlcert_dlpack_facts* c_facts();
//     void open(const dlcert_host&);
//     void close();
//
//     bool can(const dlcert_tensor_spec&);           // absent: everything is claimed
//     Tensor create(const dlcert_tensor_spec&, std::span<const std::byte> logical);
//     dlcert_description describe(Tensor&);
//     void read(Tensor&, std::span<std::byte> logical);
//     void write(Tensor&, std::span<const std::byte> logical);
//     Tensor alias(Tensor&);
//     std::int64_t live_allocations();
//     void fail_allocation(std::int64_t successes);
//
//     dlcert_device dlpack_device(Tensor&);
//     dlcert_managed export_managed(Tensor&, const dlcert_request&);
//     Tensor import_managed(dlcert_managed);
//     Tensor import_from(const dlcert_producer&, const dlcert_import_request&);
//
//     Capsule* make_capsule(void* pointer, const char* name, dlcert_capsule_destructor);
//     const char* capsule_name(Capsule&);
//     void* capsule_pointer(Capsule&, const char* name);
//     void set_capsule_name(Capsule&, const char* name);
//     void drop_capsule(Capsule*);
//     Capsule* export_capsule(Tensor&, const dlcert_request&);
//     Tensor import_capsule(Capsule&);
//     Capsule* to_dlpack(Tensor&);
//
//     void run_with_stream(dlcert_device, std::uint64_t stream, void (*body)(void*), void*
//     context); std::uint64_t current_stream(dlcert_device); void synchronize(dlcert_device);
//     std::int32_t current_device(std::int32_t device_type);
//
//     const void* exchange_table();                  // a const DLPackExchangeAPI*
//     void* object_of(Tensor&);                      // the caller drops it
//     Tensor tensor_of(void* object);                // the object stays the caller's
//     void drop_object(void* object);
//     void take_object_error();                      // throws what the table's functions left set
//   };
//   DLCERT_ADAPTER(Acme)
//
// What a library offers of devices, runtime and telemetry are methods of the same class, with the
// names of adapter_runtime.h and the signatures of adapter_runtime_signatures.hpp.
//
// The roles follow from the methods: a producer creates and exports, a consumer imports, a runtime
// has any method of the last kind.
#pragma once

#include <dlcert/adapter.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <dlcert/adapter_errors.hpp>
#include <dlcert/adapter_runtime_tables.hpp>
#include <dlcert/adapter_signatures.hpp>
#include <dlcert/adapter_tables.hpp>

namespace dlcert::adapter {

// Whether a spec asks for a compact row-major tensor: a fresh array, as every library has it.
inline bool compact(const dlcert_tensor_spec& spec) {
  if (spec.offset != 0 || (spec.flags & DLCERT_SPEC_BYTE_STRIDES) != 0) return false;
  std::int64_t expected = 1;
  for (std::int32_t axis = spec.ndim; axis-- > 0;) {
    if (spec.strides[axis] != expected) return false;
    expected *= spec.shape[axis] == 0 ? 1 : spec.shape[axis];
  }
  return true;
}

// The methods of an object that is imported from; they throw what the object reports.
inline dlcert_device dlpack_device(const dlcert_producer& producer) {
  if (producer.dlpack_device == nullptr)
    throw Refused{DLCERT_ERROR_ATTRIBUTE, "the object has no dlpack_device()"};
  dlcert_device device{};
  dlcert_error error{};
  error.struct_size = sizeof error;
  if (producer.dlpack_device(producer.context, &device, &error) != DLCERT_OK) throw Refused{error};
  return device;
}

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

// Makes a call that the harness queued, or the body of a guard; throws what it reports.
inline void make(dlcert_queued_call call, void* context) {
  dlcert_error error{};
  error.struct_size = sizeof error;
  if (call(context, &error) != DLCERT_OK) throw Refused{error};
}

// The table of `adapter`, which must outlive it. Classes derived from A are served through A's
// (virtual) methods.
template <typename A>
dlcert_adapter table(A& adapter) {
  static_assert(detail::Signatures<A>::check());
  dlcert_adapter table{};
  table.struct_size = sizeof table;
  table.abi_major = DLCERT_ABI_MAJOR;
  table.abi_minor = DLCERT_ABI_MINOR;
  table.roles = detail::roles_of<A>();
  table.name = adapter.name();
  table.version = adapter.version();
  table.self = &adapter;
  if constexpr (detail::roles_of<A>() != DLCERT_RUNTIME) {
    table.tensor = &detail::tensor_group_of<A>;
    table.exchange = &detail::exchange_group_of<A>;
  }
  if constexpr (detail::has_make_capsule<A>) table.capsule = &detail::capsule_group_of<A>;
  if constexpr (detail::has_run_with_stream<A>) table.stream = &detail::stream_group_of<A>;
  if constexpr (detail::has_exchange_table<A>)
    table.exchange_api = &detail::exchange_api_group_of<A>;
  if constexpr (detail::has_devices_group<A>) table.devices = &detail::devices_group_of<A>;
  if constexpr (detail::has_runtime_group<A>) table.gpu_runtime = &detail::runtime_group_of<A>;
  if constexpr (detail::has_telemetry_group<A>) table.telemetry = &detail::telemetry_group_of<A>;
  if constexpr (detail::has_device_order<A>) table.device_order = adapter.device_order();
  if constexpr (detail::has_properties<A>) table.properties = adapter.properties();
  if constexpr (detail::has_runtime<A>) table.runtime = adapter.runtime();
  if constexpr (detail::has_cxx_facts<A>) table.cxx_facts = adapter.cxx_facts();
  if constexpr (detail::has_c_facts<A>) table.c_facts = adapter.c_facts();
  if constexpr (detail::has_open<A>) table.open = detail::Thunks<A>::open;
  if constexpr (detail::has_close<A>) table.close = detail::Thunks<A>::close;
  return table;
}

}  // namespace dlcert::adapter

// Exports class A, default constructed at the first request, as this module's adapter.
#define DLCERT_ADAPTER(A)                                                                      \
  extern "C" DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(std::uint32_t abi_major) { \
    static A adapter;                                                                          \
    static const dlcert_adapter table = ::dlcert::adapter::table(adapter);                     \
    return abi_major == DLCERT_ABI_MAJOR ? &table : nullptr;                                   \
  }
