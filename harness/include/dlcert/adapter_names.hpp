// SPDX-License-Identifier: Apache-2.0
//
// How the methods and types of an adapter class are found by their names (adapter.hpp).
#pragma once

#include <type_traits>

namespace dlcert::adapter::detail {

// Whether class A has any member of that name. A second base with the same name makes the name
// ambiguous exactly then; asking for the right signature instead would take a method with a wrong
// one for absent.
#define DLCERT_DETAIL_NAME(method)                 \
  struct method##_name {                           \
    int method;                                    \
  };                                               \
  template <typename A>                            \
  struct method##_probe : A, method##_name {};     \
  template <typename A>                            \
  inline constexpr bool has_##method = !requires { \
    &method##_probe<A>::method;                    \
  };

// A::Type where class A has such a type, else a type of which there is nothing.
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

}  // namespace dlcert::adapter::detail
