// SPDX-License-Identifier: Apache-2.0
//
// How the members of structs are listed for the results document: `members(visit, value)` calls
// visit("name", member) for each, to write a value that is const and to read one that is not.
#pragma once

#include <concepts>
#include <type_traits>

namespace dlcert {

template <typename T, typename Wanted>
concept OneOf = std::same_as<std::remove_const_t<T>, Wanted>;

// A member that earlier documents lack: what it is without them stays.
template <typename Member>
struct Added {
  Member& member;
};
template <typename Member>
Added(Member&) -> Added<Member>;

// As before, and left out where it is empty.
template <typename Member>
struct Sparse {
  Member& member;
  bool has_value() const { return !member.empty(); }
  explicit operator bool() const { return has_value(); }
  Member& operator*() const { return member; }
  Member& emplace() const { return member; }
};
template <typename Member>
Sparse(Member&) -> Sparse<Member>;

}  // namespace dlcert
