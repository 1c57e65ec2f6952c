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
//   };
//   DLCERT_ADAPTER(Acme)
//
// The roles follow from the methods: a producer creates and exports, a consumer imports.
#pragma once

#include <dlcert/adapter.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <dlcert/adapter_signatures.hpp>

namespace dlcert::adapter {

// Thrown by a method whose library refused with an error of this kind.
class Refused : public std::exception {
 public:
  Refused(dlcert_error_kind kind, std::string_view message, std::string_view type = {});
  // The error of a dlcert_producer's method, to be passed on unchanged.
  explicit Refused(const dlcert_error& error) : error_{error} {}

  const dlcert_error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message; }

 private:
  dlcert_error error_{};
};

// Thrown by a method whose library cannot form the request.
class NotFormable : public std::exception {
 public:
  const char* what() const noexcept override { return "the library cannot form this request"; }
};

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
dlcert_device dlpack_device(const dlcert_producer& producer);
dlcert_exported dlpack(const dlcert_producer& producer, const dlcert_request& request);

// ---- implementation
// ----------------------------------------------------------------------------------------------------

namespace detail {

inline void copy_text(char* to, std::size_t capacity, std::string_view text) {
  const std::size_t size = text.size() < capacity ? text.size() : capacity - 1;
  text.copy(to, size);
  to[size] = '\0';
}

inline void fill(dlcert_error& error, dlcert_error_kind kind, std::string_view type,
                 std::string_view message) {
  error.kind = kind;
  error.code = 0;
  copy_text(error.type, sizeof error.type, type);
  copy_text(error.message, sizeof error.message, message);
}

// Maps the exception in flight to a status; standard exceptions have the kinds that Python gives
// their namesakes.
inline dlcert_status classify(dlcert_error& error) noexcept {
  try {
    throw;
  } catch (const NotFormable&) {
    return DLCERT_NOT_FORMABLE;
  } catch (const Refused& refused) {
    const std::uint32_t size = error.struct_size;
    error = refused.error();
    error.struct_size = size;
  } catch (const std::bad_alloc& e) {
    fill(error, DLCERT_ERROR_MEMORY, "std::bad_alloc", e.what());
  } catch (const std::invalid_argument& e) {
    fill(error, DLCERT_ERROR_VALUE, "std::invalid_argument", e.what());
  } catch (const std::out_of_range& e) {
    fill(error, DLCERT_ERROR_INDEX, "std::out_of_range", e.what());
  } catch (const std::exception& e) {
    fill(error, DLCERT_ERROR_RUNTIME, "std::exception", e.what());
  } catch (...) {
    fill(error, DLCERT_ERROR_OTHER, "", "an exception of unknown type");
  }
  return DLCERT_REFUSED;
}

template <typename Action>
dlcert_status guarded(dlcert_error* error, Action&& action) noexcept {
  try {
    std::forward<Action>(action)();
    return DLCERT_OK;
  } catch (...) {
    return classify(*error);
  }
}

// The C functions of class A; a template of its own per group keeps error messages short.
template <typename A>
struct Thunks {
  using T = typename A::Tensor;
  using C = typename capsule_of<A>::type;

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
#undef DLCERT_DETAIL_SLOT

template <typename A>
constexpr std::uint32_t roles_of() {
  std::uint32_t roles = 0;
  if (has_create<A> && (has_export_managed<A> || has_export_capsule<A>)) roles |= DLCERT_PRODUCER;
  if (has_import_managed<A> || has_import_from<A> || has_import_capsule<A>)
    roles |= DLCERT_CONSUMER;
  return roles;
}

template <typename A>
inline constexpr dlcert_tensor_group tensor_group_of = tensor_group<A>();
template <typename A>
inline constexpr dlcert_exchange_group exchange_group_of = exchange_group<A>();
template <typename A>
inline constexpr dlcert_capsule_group capsule_group_of = capsule_group<A>();

}  // namespace detail

inline Refused::Refused(dlcert_error_kind kind, std::string_view message, std::string_view type) {
  error_.struct_size = sizeof error_;
  detail::fill(error_, kind, type, message);
}

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
  table.tensor = &detail::tensor_group_of<A>;
  table.exchange = &detail::exchange_group_of<A>;
  if constexpr (detail::has_make_capsule<A>) table.capsule = &detail::capsule_group_of<A>;
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
