// SPDX-License-Identifier: Apache-2.0
//
// The C functions of an adapter class, in the groups of the ABI (adapter.hpp).
#pragma once

#include <dlcert/adapter.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <dlcert/adapter_errors.hpp>
#include <dlcert/adapter_signatures.hpp>

namespace dlcert::adapter::detail {

// The C functions of class A; a template of its own per group keeps error messages short.
template <typename A>
struct Thunks {
  using T = Tensor_of<A>;
  using C = Capsule_of<A>;

  static A& adapter(void* self) { return *static_cast<A*>(self); }
  static T& tensor(dlcert_tensor* handle) { return *reinterpret_cast<T*>(handle); }
  static C* capsule(dlcert_capsule* handle) { return reinterpret_cast<C*>(handle); }

  // Runs a method that makes a tensor and boxes it.
  template <typename Make>
  static dlcert_status boxed(dlcert_tensor** out, dlcert_error* error, Make&& make) {
    return guarded(error, [&] { *out = reinterpret_cast<dlcert_tensor*>(new T(make())); });
  }

  static dlcert_status open(void* self, const dlcert_host* host, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).open(*host); });
  }
  static void close(void* self) { adapter(self).close(); }

  static std::int32_t can(void* self, const dlcert_tensor_spec* spec) {
    if constexpr (has_can<A>)
      return adapter(self).can(*spec) ? 1 : 0;
    else
      return 1;
  }
  static dlcert_status create(void* self, const dlcert_tensor_spec* spec, const void* bytes,
                              std::uint64_t size, dlcert_tensor** out, dlcert_error* error) {
    return boxed(out, error, [&] {
      return adapter(self).create(*spec, std::span{static_cast<const std::byte*>(bytes), size});
    });
  }
  static dlcert_status describe(void* self, dlcert_tensor* t, dlcert_description* out,
                                dlcert_error* error) {
    return guarded(error, [&] {
      const std::uint32_t size = out->struct_size;
      dlcert_description description = adapter(self).describe(tensor(t));
      description.struct_size = sizeof description;
      std::memcpy(out, &description, size < sizeof description ? size : sizeof description);
    });
  }
  static dlcert_status read(void* self, dlcert_tensor* t, void* bytes, std::uint64_t size,
                            dlcert_error* error) {
    return guarded(error, [&] {
      adapter(self).read(tensor(t), std::span{static_cast<std::byte*>(bytes), size});
    });
  }
  static dlcert_status write(void* self, dlcert_tensor* t, const void* bytes, std::uint64_t size,
                             dlcert_error* error) {
    return guarded(error, [&] {
      adapter(self).write(tensor(t), std::span{static_cast<const std::byte*>(bytes), size});
    });
  }
  static void release(void*, dlcert_tensor* t) { delete &tensor(t); }
  static dlcert_status alias(void* self, dlcert_tensor* t, dlcert_tensor** out,
                             dlcert_error* error) {
    return boxed(out, error, [&] { return adapter(self).alias(tensor(t)); });
  }
  static std::int64_t live_allocations(void* self) { return adapter(self).live_allocations(); }
  static void fail_allocation(void* self, std::int64_t successes) {
    adapter(self).fail_allocation(successes);
  }

  static dlcert_status dlpack_device(void* self, dlcert_tensor* t, dlcert_device* out,
                                     dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).dlpack_device(tensor(t)); });
  }
  static dlcert_status export_managed(void* self, dlcert_tensor* t, const dlcert_request* request,
                                      dlcert_managed* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).export_managed(tensor(t), *request); });
  }
  static dlcert_status import_managed(void* self, dlcert_managed managed, dlcert_tensor** out,
                                      dlcert_error* error) {
    return boxed(out, error, [&] { return adapter(self).import_managed(managed); });
  }
  static dlcert_status import_from(void* self, const dlcert_producer* producer,
                                   const dlcert_import_request* request, dlcert_tensor** out,
                                   dlcert_error* error) {
    return boxed(out, error, [&] { return adapter(self).import_from(*producer, *request); });
  }

  static dlcert_status make_capsule(void* self, void* pointer, const char* name,
                                    dlcert_capsule_destructor destructor, dlcert_capsule** out,
                                    dlcert_error* error) {
    return guarded(error, [&] {
      *out =
          reinterpret_cast<dlcert_capsule*>(adapter(self).make_capsule(pointer, name, destructor));
    });
  }
  static const char* capsule_name(void* self, dlcert_capsule* c) {
    return adapter(self).capsule_name(*capsule(c));
  }
  static void* capsule_pointer(void* self, dlcert_capsule* c, const char* name) {
    return adapter(self).capsule_pointer(*capsule(c), name);
  }
  static void set_capsule_name(void* self, dlcert_capsule* c, const char* name) {
    adapter(self).set_capsule_name(*capsule(c), name);
  }
  static void drop_capsule(void* self, dlcert_capsule* c) {
    adapter(self).drop_capsule(capsule(c));
  }
  static dlcert_status export_capsule(void* self, dlcert_tensor* t, const dlcert_request* request,
                                      dlcert_capsule** out, dlcert_error* error) {
    return guarded(error, [&] {
      *out = reinterpret_cast<dlcert_capsule*>(adapter(self).export_capsule(tensor(t), *request));
    });
  }
  static dlcert_status import_capsule(void* self, dlcert_capsule* c, dlcert_tensor** out,
                                      dlcert_error* error) {
    return boxed(out, error, [&] { return adapter(self).import_capsule(*capsule(c)); });
  }
  static dlcert_status to_dlpack(void* self, dlcert_tensor* t, dlcert_capsule** out,
                                 dlcert_error* error) {
    return guarded(error, [&] {
      *out = reinterpret_cast<dlcert_capsule*>(adapter(self).to_dlpack(tensor(t)));
    });
  }

  static dlcert_status run_with_stream(void* self, dlcert_device device, std::uint64_t stream,
                                       void (*body)(void*), void* context, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).run_with_stream(device, stream, body, context); });
  }
  static dlcert_status current_stream(void* self, dlcert_device device, std::uint64_t* out,
                                      dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).current_stream(device); });
  }
  static dlcert_status synchronize(void* self, dlcert_device device, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).synchronize(device); });
  }
  static dlcert_status current_device(void* self, std::int32_t device_type, std::int32_t* out,
                                      dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).current_device(device_type); });
  }

  static dlcert_status exchange_table(void* self, const void** out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).exchange_table(); });
  }
  static dlcert_status object_of(void* self, dlcert_tensor* t, void** out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).object_of(tensor(t)); });
  }
  static dlcert_status tensor_of(void* self, void* object, dlcert_tensor** out,
                                 dlcert_error* error) {
    return boxed(out, error, [&] { return adapter(self).tensor_of(object); });
  }
  static void drop_object(void* self, void* object) { adapter(self).drop_object(object); }
  static dlcert_status take_object_error(void* self, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).take_object_error(); });
  }
};

// The thunk if the class has the method, else NULL; the thunk of a missing method is never
// instantiated.
// NOLINTBEGIN(bugprone-macro-parentheses): no expressions
#define DLCERT_DETAIL_SLOT(group, slot, method) \
  if constexpr (has_##method<A>) group.slot = Thunks<A>::method
// NOLINTEND(bugprone-macro-parentheses)

template <typename A>
constexpr dlcert_tensor_group tensor_group() {
  dlcert_tensor_group group{};
  group.struct_size = sizeof group;
  group.can = Thunks<A>::can;
  group.release = Thunks<A>::release;
  DLCERT_DETAIL_SLOT(group, create, create);
  DLCERT_DETAIL_SLOT(group, describe, describe);
  DLCERT_DETAIL_SLOT(group, read, read);
  DLCERT_DETAIL_SLOT(group, write, write);
  DLCERT_DETAIL_SLOT(group, alias, alias);
  DLCERT_DETAIL_SLOT(group, live_allocations, live_allocations);
  DLCERT_DETAIL_SLOT(group, fail_allocation, fail_allocation);
  return group;
}

template <typename A>
constexpr dlcert_exchange_group exchange_group() {
  dlcert_exchange_group group{};
  group.struct_size = sizeof group;
  DLCERT_DETAIL_SLOT(group, dlpack_device, dlpack_device);
  DLCERT_DETAIL_SLOT(group, export_managed, export_managed);
  DLCERT_DETAIL_SLOT(group, import_managed, import_managed);
  DLCERT_DETAIL_SLOT(group, import_from, import_from);
  return group;
}

template <typename A>
constexpr dlcert_capsule_group capsule_group() {
  dlcert_capsule_group group{};
  group.struct_size = sizeof group;
  DLCERT_DETAIL_SLOT(group, make, make_capsule);
  DLCERT_DETAIL_SLOT(group, name, capsule_name);
  DLCERT_DETAIL_SLOT(group, pointer, capsule_pointer);
  DLCERT_DETAIL_SLOT(group, set_name, set_capsule_name);
  DLCERT_DETAIL_SLOT(group, drop, drop_capsule);
  DLCERT_DETAIL_SLOT(group, export_capsule, export_capsule);
  DLCERT_DETAIL_SLOT(group, import_capsule, import_capsule);
  DLCERT_DETAIL_SLOT(group, to_dlpack, to_dlpack);
  return group;
}

template <typename A>
constexpr dlcert_stream_group stream_group() {
  dlcert_stream_group group{};
  group.struct_size = sizeof group;
  DLCERT_DETAIL_SLOT(group, run_with_stream, run_with_stream);
  DLCERT_DETAIL_SLOT(group, current_stream, current_stream);
  DLCERT_DETAIL_SLOT(group, synchronize, synchronize);
  DLCERT_DETAIL_SLOT(group, current_device, current_device);
  return group;
}

template <typename A>
constexpr dlcert_exchange_api_group exchange_api_group() {
  dlcert_exchange_api_group group{};
  group.struct_size = sizeof group;
  DLCERT_DETAIL_SLOT(group, table, exchange_table);
  DLCERT_DETAIL_SLOT(group, object_of, object_of);
  DLCERT_DETAIL_SLOT(group, tensor_of, tensor_of);
  DLCERT_DETAIL_SLOT(group, drop_object, drop_object);
  DLCERT_DETAIL_SLOT(group, take_error, take_object_error);
  return group;
}
#undef DLCERT_DETAIL_SLOT

template <typename A>
constexpr std::uint32_t roles_of() {
  std::uint32_t roles = 0;
  if (has_create<A> && (has_export_managed<A> || has_export_capsule<A>)) roles |= DLCERT_PRODUCER;
  if (has_import_managed<A> || has_import_from<A> || has_import_capsule<A>)
    roles |= DLCERT_CONSUMER;
  if (has_devices_group<A> || has_runtime_group<A> || has_telemetry_group<A>)
    roles |= DLCERT_RUNTIME;
  return roles;
}

template <typename A>
inline constexpr dlcert_tensor_group tensor_group_of = tensor_group<A>();
template <typename A>
inline constexpr dlcert_exchange_group exchange_group_of = exchange_group<A>();
template <typename A>
inline constexpr dlcert_capsule_group capsule_group_of = capsule_group<A>();
template <typename A>
inline constexpr dlcert_stream_group stream_group_of = stream_group<A>();
template <typename A>
inline constexpr dlcert_exchange_api_group exchange_api_group_of = exchange_api_group<A>();

}  // namespace dlcert::adapter::detail
