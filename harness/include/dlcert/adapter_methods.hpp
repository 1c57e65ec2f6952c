// SPDX-License-Identifier: Apache-2.0
//
// Finds the methods of adapter_functions.hpp that an adapter class has, and checks that each has
// the signature by which dlcert will call it (adapter.hpp).
#pragma once

#include <dlcert/adapter.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dlcert/adapter_functions.hpp>

namespace dlcert::adapter::detail {

#define DLCERT_DETAIL_IN_GROUP(group, member, functions) functions(DLCERT_DETAIL_ROW)
#define DLCERT_DETAIL_ALL_ROWS                \
  DLCERT_ADAPTER_VALUES(DLCERT_DETAIL_ROW)    \
  DLCERT_ADAPTER_FUNCTIONS(DLCERT_DETAIL_ROW) \
  DLCERT_FUNCTION_GROUPS(DLCERT_DETAIL_IN_GROUP)

// Defines for each method:
// - has_<method><A>: whether class A has any member of that name;
// - call_<method>::on: calls it.
//
// The probe has A and a class with such a member as bases. The name is ambiguous in it exactly if A
// has the member. A test for the right signature instead would treat a method with a wrong one as
// absent.
#define DLCERT_DETAIL_ROW(slot, method, ...)                          \
  struct method##_name {                                              \
    int method;                                                       \
  };                                                                  \
  template <typename A>                                               \
  struct method##_probe : A, method##_name {};                        \
  template <typename A>                                               \
  inline constexpr bool has_##method = !requires {                    \
    &method##_probe<A>::method;                                       \
  };                                                                  \
  struct call_##method {                                              \
    template <typename A, typename... P>                              \
    static auto on(A& adapter, P&&... parameters)                     \
        -> decltype(adapter.method(std::forward<P>(parameters)...)) { \
      return adapter.method(std::forward<P>(parameters)...);          \
    }                                                                 \
  };
DLCERT_DETAIL_ALL_ROWS
#undef DLCERT_DETAIL_ROW

// has_<group>_group<A>: whether class A has any method of the group.
#define DLCERT_DETAIL_ROW(slot, method, ...) || has_##method<A>
#define DLCERT_DETAIL_ANY(group, member, functions) \
  template <typename A>                             \
  inline constexpr bool has_##group##_group = false functions(DLCERT_DETAIL_ROW);
DLCERT_FUNCTION_GROUPS(DLCERT_DETAIL_ANY)
#undef DLCERT_DETAIL_ANY
#undef DLCERT_DETAIL_ROW

// Tensor_of<A> and the like: A::Tensor if class A has such a type, else an empty type of its own.
#define DLCERT_DETAIL_TYPE(Type)   \
  template <typename A>            \
  struct Type##_or_none {          \
    struct type {};                \
  };                               \
  template <typename A>            \
  requires requires {              \
    typename A::Type;              \
  }                                \
  struct Type##_or_none<A> {       \
    using type = typename A::Type; \
  };                               \
  template <typename A>            \
  using Type##_of = typename Type##_or_none<A>::type;
DLCERT_DETAIL_TYPE(Tensor)
DLCERT_DETAIL_TYPE(Capsule)
DLCERT_DETAIL_TYPE(Guard)
DLCERT_DETAIL_TYPE(GpuObject)
#undef DLCERT_DETAIL_TYPE

// Callable<Signature>::by<Call, A>: whether `Call` can be made with this signature on class A.
template <typename Signature>
struct Callable;
template <typename R, typename... P>
struct Callable<R(P...)> {
  template <typename Call, typename A>
  static constexpr bool by = requires(A& adapter) {
    { Call::on(adapter, std::declval<P>()...) } -> std::same_as<R>;
  };
};

constexpr bool all_of(std::initializer_list<bool> conditions) {
  for (const bool condition : conditions)
    if (!condition) return false;
  return true;
}

// Checks that each method either has its signature or is absent. check() returns true; a wrong
// method does not compile.
template <typename A>
struct Signatures {
  using Tensor = Tensor_of<A>;
  using Capsule = Capsule_of<A>;
  using Guard = Guard_of<A>;
  using GpuObject = GpuObject_of<A>;

  static constexpr bool check() {
    static_assert(
        !std::is_final_v<A>,
        "the adapter class must not be final: its names are found through a derived class");
    static_assert(has_name<A> && has_version<A>, "an adapter has name() and version()");
#define DLCERT_DETAIL_ROW(slot, method, ...)                                              \
  static_assert(!has_##method<A> || Callable<__VA_ARGS__>::template by<call_##method, A>, \
                "the adapter's method " #method " must be callable as: " #__VA_ARGS__);
    DLCERT_DETAIL_ALL_ROWS
#undef DLCERT_DETAIL_ROW
#define DLCERT_DETAIL_ROW(slot, method, ...) has_##method<A>,
    static_assert(has_stream_group<A> == all_of({DLCERT_STREAM_FUNCTIONS(DLCERT_DETAIL_ROW)}),
                  "the methods of DLCERT_STREAM_FUNCTIONS come together");
    static_assert(
        has_exchange_api_group<A> == all_of({DLCERT_EXCHANGE_API_FUNCTIONS(DLCERT_DETAIL_ROW)}),
        "the methods of DLCERT_EXCHANGE_API_FUNCTIONS come together");
    static_assert(has_python_group<A> == all_of({DLCERT_PYTHON_FUNCTIONS(DLCERT_DETAIL_ROW)}),
                  "the methods of DLCERT_PYTHON_FUNCTIONS come together");
#undef DLCERT_DETAIL_ROW
    return true;
  }
};

#undef DLCERT_DETAIL_ALL_ROWS
#undef DLCERT_DETAIL_IN_GROUP

}  // namespace dlcert::adapter::detail
