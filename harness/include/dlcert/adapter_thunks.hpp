// SPDX-License-Identifier: Apache-2.0
//
// The C functions of an adapter class, in the groups of the ABI (adapter.hpp). One template makes a
// C function from any method of adapter_functions.hpp:
//
//   dlcert_status (*slot)(void* self, [parameters,] [outputs,] dlcert_error* error)
//     writes the method's result to the outputs, or its exception to `error` (adapter_errors.hpp)
//   R (*slot)(void* self, [parameters])
//     returns the method's result; the method must not throw, because nothing here would catch it
//
// `argument` converts parameters, `deliver` converts results.
#pragma once

#include <dlcert/adapter.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <dlcert/adapter_errors.hpp>
#include <dlcert/adapter_methods.hpp>

namespace dlcert::adapter::detail {

// The handles that stand for an object of the adapter class.
template <typename T>
concept Handle = std::same_as<T, dlcert_tensor*> || std::same_as<T, dlcert_capsule*> ||
    std::same_as<T, dlcert_guard*> || std::same_as<T, dlcert_gpu_object*>;

// ---- parameters ----

// The number of C parameters for a parameter of type P: two for logical bytes (address and size),
// one for any other.
template <typename P>
inline constexpr std::size_t places =
    std::same_as<P, std::span<std::byte>> || std::same_as<P, std::span<const std::byte>> ? 2 : 1;

// Converts the C parameters that start at `Place` to a parameter of type P.
template <typename P, std::size_t Place, typename Passed>
P argument(const Passed& passed) {
  const auto c = std::get<Place>(passed);
  using C = std::remove_const_t<decltype(c)>;
  if constexpr (places<P> == 2) {
    return P{static_cast<typename P::pointer>(c),
             static_cast<std::size_t>(std::get<Place + 1>(passed))};
  } else if constexpr (std::same_as<P, C>) {
    return c;
  } else if constexpr (std::same_as<P, bool>) {
    return c != 0;
  } else if constexpr (std::same_as<C, dlcert_texts>) {
    return P{c.texts, static_cast<std::size_t>(c.count)};
  } else if constexpr (Handle<C> && std::is_pointer_v<P>) {
    return reinterpret_cast<P>(c);
  } else if constexpr (Handle<C>) {
    return *reinterpret_cast<std::remove_reference_t<P>*>(c);
  } else {
    return *c;  // a C struct, passed by reference
  }
}

// ---- results ----

inline void add(const dlcert_text_list& list, std::string_view text) {
  list.add(list.context, text.data(), text.size());
}
template <typename Texts>
void add_all(const dlcert_text_list& list, const Texts& texts) {
  for (const auto& text : texts)
    add(list, text);
}

template <typename Make>
void deliver(const Make& make) {
  make();
}

// Writes the result of `make` to the single output of the C function.
template <typename Make, typename Output>
void deliver(const Make& make, Output* out) {
  using R = std::invoke_result_t<Make>;
  if constexpr (std::same_as<Output, dlcert_tensor*>) {
    *out = reinterpret_cast<dlcert_tensor*>(new R(make()));  // release() deletes it
  } else if constexpr (Handle<Output>) {
    *out = reinterpret_cast<Output>(make());
  } else if constexpr (std::same_as<Output, const dlcert_number_list>) {
    for (const std::int64_t number : make())
      out->add(out->context, number);
  } else if constexpr (std::same_as<Output, const dlcert_text_list> &&
                       std::convertible_to<R, std::string_view>) {
    add(*out, make());
  } else if constexpr (std::same_as<Output, const dlcert_text_list>) {
    add_all(*out, make());
  } else if constexpr (requires { out->struct_size; }) {
    const std::uint32_t size = out->struct_size;
    R made = make();
    made.struct_size = sizeof made;
    std::memcpy(out, &made, size < sizeof made ? size : sizeof made);
  } else {
    *out = static_cast<Output>(make());
  }
}

// Writes an optional list, or a pair of numbers, to two outputs.
template <typename Make, typename First, typename Second>
void deliver(const Make& make, First* first, Second* second) {
  const auto made = make();
  if constexpr (std::same_as<First, const dlcert_text_list>) {
    if (made) add_all(*first, *made);
    *second = made ? 1 : 0;
  } else {
    *first = static_cast<First>(made.first);
    *second = static_cast<Second>(made.second);
  }
}

// ---- functions ----

// The C function of type `Slot` that makes `Call` on class A.
template <typename A, typename Call, typename Slot, typename Signature>
struct Thunk;
template <typename A, typename Call, typename CResult, typename... C, typename R, typename... P>
struct Thunk<A, Call, CResult (*)(void*, C...), R(P...)> {
  static constexpr std::size_t taken = (places<P> + ... + 0);
  static constexpr bool reports = (std::same_as<C, dlcert_error*> || ...);

  static CResult function(void* self, C... c) {
    const std::tuple<C...> passed{c...};
    const auto make = [&]() -> R { return call(self, passed, std::index_sequence_for<P...>{}); };
    if constexpr (reports)
      return guarded(std::get<dlcert_error*>(passed), [&] {
        answer(make, passed, std::make_index_sequence<sizeof...(C) - 1 - taken>{});
      });
    else
      return static_cast<CResult>(make());
  }

 private:
  // Returns the number of C parameters before the parameter with that index.
  static constexpr std::size_t before(std::size_t index) {
    constexpr std::array<std::size_t, sizeof...(P) + 1> all{places<P>..., 0};
    std::size_t sum = 0;
    for (std::size_t i = 0; i < index; ++i)
      sum += all[i];
    return sum;
  }
  template <std::size_t... Index>
  static R call(void* self, const std::tuple<C...>& passed, std::index_sequence<Index...>) {
    return Call::on(*static_cast<A*>(self), argument<P, before(Index)>(passed)...);
  }
  template <typename Make, std::size_t... Index>
  static void answer(const Make& make, const std::tuple<C...>& passed,
                     std::index_sequence<Index...>) {
    deliver(make, std::get<taken + Index>(passed)...);
  }
};

// ---- groups ----

// The groups of class A, with a C function for each of its methods.
template <typename A>
struct Groups {
  using Tensor = Tensor_of<A>;
  using Capsule = Capsule_of<A>;
  using Guard = Guard_of<A>;
  using GpuObject = GpuObject_of<A>;

// Sets the slot to the C function if the class has the method, else leaves it NULL. The function of
// a missing method is never instantiated.
#define DLCERT_DETAIL_ROW(slot, method, ...) \
  if constexpr (has_##method<A>)             \
    made.slot = Thunk<A, call_##method, decltype(made.slot), __VA_ARGS__>::function;
#define DLCERT_DETAIL_GROUP(group, member, functions) \
  static constexpr dlcert_##group##_group group() {   \
    dlcert_##group##_group made{};                    \
    made.struct_size = sizeof made;                   \
    functions(DLCERT_DETAIL_ROW) return made;         \
  }
  DLCERT_FUNCTION_GROUPS(DLCERT_DETAIL_GROUP)
#undef DLCERT_DETAIL_GROUP

  static constexpr void fill(dlcert_adapter& made) {
    DLCERT_ADAPTER_FUNCTIONS(DLCERT_DETAIL_ROW)
  }
#undef DLCERT_DETAIL_ROW
};

// Adds the functions that do not come from methods.
template <typename A, typename Group>
constexpr Group completed(Group group) {
  if constexpr (std::same_as<Group, dlcert_tensor_group>) {
    group.release = [](void*, dlcert_tensor* tensor) {
      delete reinterpret_cast<Tensor_of<A>*>(tensor);
    };
    if constexpr (!has_can<A>)
      group.can = [](void*, const dlcert_tensor_spec*) { return std::int32_t{1}; };
  }
  return group;
}

// <group>_group_of<A>: the group of class A, valid as long as the module is loaded.
#define DLCERT_DETAIL_GROUP(group, member, functions) \
  template <typename A>                               \
  inline constexpr dlcert_##group##_group group##_group_of = completed<A>(Groups<A>::group());
DLCERT_FUNCTION_GROUPS(DLCERT_DETAIL_GROUP)
#undef DLCERT_DETAIL_GROUP

// Returns the roles that follow from the methods of class A.
template <typename A>
constexpr std::uint32_t roles_of() {
  std::uint32_t roles = 0;
  if (has_create<A> && (has_export_managed<A> || has_export_capsule<A> || has_to_dlpack<A>))
    roles |= DLCERT_PRODUCER;
  if (has_import_managed<A> || has_import_from<A> || has_import_capsule<A>)
    roles |= DLCERT_CONSUMER;
  if (has_devices_group<A> || has_runtime_group<A> || has_telemetry_group<A>)
    roles |= DLCERT_RUNTIME;
  return roles;
}

}  // namespace dlcert::adapter::detail
