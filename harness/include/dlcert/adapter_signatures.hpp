// SPDX-License-Identifier: Apache-2.0
//
// Which methods an adapter class has, and that each has the signature under which it will be called
// (adapter.hpp).
#pragma once

#include <dlcert/adapter.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <dlcert/adapter_names.hpp>
#include <dlcert/adapter_runtime_signatures.hpp>

namespace dlcert::adapter::detail {

DLCERT_DETAIL_NAME(name)
DLCERT_DETAIL_NAME(version)
DLCERT_DETAIL_NAME(runtime)
DLCERT_DETAIL_NAME(properties)
DLCERT_DETAIL_NAME(cxx_facts)
DLCERT_DETAIL_NAME(c_facts)
DLCERT_DETAIL_NAME(device_order)
DLCERT_DETAIL_NAME(open)
DLCERT_DETAIL_NAME(close)
DLCERT_DETAIL_NAME(can)
DLCERT_DETAIL_NAME(create)
DLCERT_DETAIL_NAME(describe)
DLCERT_DETAIL_NAME(read)
DLCERT_DETAIL_NAME(write)
DLCERT_DETAIL_NAME(alias)
DLCERT_DETAIL_NAME(live_allocations)
DLCERT_DETAIL_NAME(fail_allocation)
DLCERT_DETAIL_NAME(dlpack_device)
DLCERT_DETAIL_NAME(export_managed)
DLCERT_DETAIL_NAME(import_managed)
DLCERT_DETAIL_NAME(import_from)
DLCERT_DETAIL_NAME(make_capsule)
DLCERT_DETAIL_NAME(capsule_name)
DLCERT_DETAIL_NAME(capsule_pointer)
DLCERT_DETAIL_NAME(set_capsule_name)
DLCERT_DETAIL_NAME(drop_capsule)
DLCERT_DETAIL_NAME(export_capsule)
DLCERT_DETAIL_NAME(import_capsule)
DLCERT_DETAIL_NAME(to_dlpack)
DLCERT_DETAIL_NAME(run_with_stream)
DLCERT_DETAIL_NAME(current_stream)
DLCERT_DETAIL_NAME(synchronize)
DLCERT_DETAIL_NAME(current_device)
DLCERT_DETAIL_NAME(exchange_table)
DLCERT_DETAIL_NAME(object_of)
DLCERT_DETAIL_NAME(tensor_of)
DLCERT_DETAIL_NAME(drop_object)
DLCERT_DETAIL_NAME(take_object_error)

DLCERT_DETAIL_TYPE(Tensor)
DLCERT_DETAIL_TYPE(Capsule)

// A method is there with the signature that is called below, or not there at all.
#define DLCERT_DETAIL_REQUIRE(method, call, result, signature)             \
  static_assert(                                                           \
      !has_##method<A> ||                                                  \
          requires(A & a, T & t, C & c, void* pointer, const char* text) { \
            { call } -> std::same_as<result>;                              \
          },                                                               \
      "the adapter's method " #method " must be callable as: " signature)

template <typename A>
struct Signatures {
  using T = Tensor_of<A>;
  using C = Capsule_of<A>;

  static constexpr bool check() {
    static_assert(
        !std::is_final_v<A>,
        "the adapter class must not be final: its names are found through a derived class");
    static_assert(has_name<A> && has_version<A>, "an adapter has name() and version()");
    DLCERT_DETAIL_REQUIRE(name, a.name(), const char*, "const char* name()");
    DLCERT_DETAIL_REQUIRE(version, a.version(), const char*, "const char* version()");
    DLCERT_DETAIL_REQUIRE(runtime, a.runtime(), const char*, "const char* runtime()");
    DLCERT_DETAIL_REQUIRE(properties, a.properties(), std::uint32_t, "std::uint32_t properties()");
    DLCERT_DETAIL_REQUIRE(cxx_facts, a.cxx_facts(), const dlcert_dlpack_facts*,
                          "const dlcert_dlpack_facts* cxx_facts()");
    DLCERT_DETAIL_REQUIRE(c_facts, a.c_facts(), const dlcert_dlpack_facts*,
                          "const dlcert_dlpack_facts* c_facts()");
    DLCERT_DETAIL_REQUIRE(device_order, a.device_order(), const char*,
                          "const char* device_order()");
    DLCERT_DETAIL_REQUIRE(open, a.open(std::declval<const dlcert_host&>()), void,
                          "void open(const dlcert_host&)");
    DLCERT_DETAIL_REQUIRE(close, a.close(), void, "void close()");
    return check_tensor() && check_exchange() && check_capsule() && check_stream() &&
           check_exchange_api() && RuntimeSignatures<A>::check_devices() &&
           RuntimeSignatures<A>::check_runtime() && RuntimeSignatures<A>::check_telemetry();
  }

  static constexpr bool check_tensor() {
    DLCERT_DETAIL_REQUIRE(can, a.can(std::declval<const dlcert_tensor_spec&>()), bool,
                          "bool can(const dlcert_tensor_spec&)");
    DLCERT_DETAIL_REQUIRE(create,
                          a.create(std::declval<const dlcert_tensor_spec&>(),
                                   std::declval<std::span<const std::byte>>()),
                          T,
                          "Tensor create(const dlcert_tensor_spec&, std::span<const std::byte>)");
    DLCERT_DETAIL_REQUIRE(describe, a.describe(t), dlcert_description,
                          "dlcert_description describe(Tensor&)");
    DLCERT_DETAIL_REQUIRE(read, a.read(t, std::declval<std::span<std::byte>>()), void,
                          "void read(Tensor&, std::span<std::byte>)");
    DLCERT_DETAIL_REQUIRE(write, a.write(t, std::declval<std::span<const std::byte>>()), void,
                          "void write(Tensor&, std::span<const std::byte>)");
    DLCERT_DETAIL_REQUIRE(alias, a.alias(t), T, "Tensor alias(Tensor&)");
    DLCERT_DETAIL_REQUIRE(live_allocations, a.live_allocations(), std::int64_t,
                          "std::int64_t live_allocations()");
    DLCERT_DETAIL_REQUIRE(fail_allocation, a.fail_allocation(std::int64_t{}), void,
                          "void fail_allocation(std::int64_t)");
    return true;
  }

  static constexpr bool check_exchange() {
    DLCERT_DETAIL_REQUIRE(dlpack_device, a.dlpack_device(t), dlcert_device,
                          "dlcert_device dlpack_device(Tensor&)");
    DLCERT_DETAIL_REQUIRE(
        export_managed, a.export_managed(t, std::declval<const dlcert_request&>()), dlcert_managed,
        "dlcert_managed export_managed(Tensor&, const dlcert_request&)");
    DLCERT_DETAIL_REQUIRE(import_managed, a.import_managed(std::declval<dlcert_managed>()), T,
                          "Tensor import_managed(dlcert_managed)");
    DLCERT_DETAIL_REQUIRE(
        import_from,
        a.import_from(std::declval<const dlcert_producer&>(),
                      std::declval<const dlcert_import_request&>()),
        T, "Tensor import_from(const dlcert_producer&, const dlcert_import_request&)");
    return true;
  }

  static constexpr bool check_capsule() {
    DLCERT_DETAIL_REQUIRE(
        make_capsule, a.make_capsule(pointer, text, std::declval<dlcert_capsule_destructor>()), C*,
        "Capsule* make_capsule(void*, const char*, dlcert_capsule_destructor)");
    DLCERT_DETAIL_REQUIRE(capsule_name, a.capsule_name(c), const char*,
                          "const char* capsule_name(Capsule&)");
    DLCERT_DETAIL_REQUIRE(capsule_pointer, a.capsule_pointer(c, text), void*,
                          "void* capsule_pointer(Capsule&, const char*)");
    DLCERT_DETAIL_REQUIRE(set_capsule_name, a.set_capsule_name(c, text), void,
                          "void set_capsule_name(Capsule&, const char*)");
    DLCERT_DETAIL_REQUIRE(drop_capsule, a.drop_capsule(&c), void, "void drop_capsule(Capsule*)");
    DLCERT_DETAIL_REQUIRE(export_capsule,
                          a.export_capsule(t, std::declval<const dlcert_request&>()), C*,
                          "Capsule* export_capsule(Tensor&, const dlcert_request&)");
    DLCERT_DETAIL_REQUIRE(import_capsule, a.import_capsule(c), T,
                          "Tensor import_capsule(Capsule&)");
    DLCERT_DETAIL_REQUIRE(to_dlpack, a.to_dlpack(t), C*, "Capsule* to_dlpack(Tensor&)");
    return true;
  }

  static constexpr bool check_stream() {
    static_assert(has_run_with_stream<A> == has_current_stream<A> &&
                      has_current_stream<A> == has_synchronize<A> &&
                      has_synchronize<A> == has_current_device<A>,
                  "run_with_stream, current_stream, synchronize and current_device come together");
    DLCERT_DETAIL_REQUIRE(
        run_with_stream,
        a.run_with_stream(dlcert_device{}, std::uint64_t{}, std::declval<void (*)(void*)>(),
                          pointer),
        void, "void run_with_stream(dlcert_device, std::uint64_t stream, void (*)(void*), void*)");
    DLCERT_DETAIL_REQUIRE(current_stream, a.current_stream(dlcert_device{}), std::uint64_t,
                          "std::uint64_t current_stream(dlcert_device)");
    DLCERT_DETAIL_REQUIRE(synchronize, a.synchronize(dlcert_device{}), void,
                          "void synchronize(dlcert_device)");
    DLCERT_DETAIL_REQUIRE(current_device, a.current_device(std::int32_t{}), std::int32_t,
                          "std::int32_t current_device(std::int32_t device_type)");
    return true;
  }

  static constexpr bool check_exchange_api() {
    static_assert(
        has_exchange_table<A> == has_object_of<A> && has_object_of<A> == has_tensor_of<A> &&
            has_tensor_of<A> == has_drop_object<A> &&
            has_drop_object<A> == has_take_object_error<A>,
        "exchange_table, object_of, tensor_of, drop_object and take_object_error come together");
    DLCERT_DETAIL_REQUIRE(exchange_table, a.exchange_table(), const void*,
                          "const void* exchange_table()");
    DLCERT_DETAIL_REQUIRE(object_of, a.object_of(t), void*, "void* object_of(Tensor&)");
    DLCERT_DETAIL_REQUIRE(tensor_of, a.tensor_of(pointer), T, "Tensor tensor_of(void* object)");
    DLCERT_DETAIL_REQUIRE(drop_object, a.drop_object(pointer), void,
                          "void drop_object(void* object)");
    DLCERT_DETAIL_REQUIRE(take_object_error, a.take_object_error(), void,
                          "void take_object_error()");
    return true;
  }
};
#undef DLCERT_DETAIL_REQUIRE

}  // namespace dlcert::adapter::detail
