// SPDX-License-Identifier: Apache-2.0
//
// Reads tables of adapters that may be older or newer than this harness. Members beyond the size
// that the adapter was compiled with are absent. Implemented here.
#pragma once

#include <dlcert/adapter.h>

#include <cstddef>

namespace dlcert {

// Returns whether `group` has the member: it lies within struct_size and is neither NULL nor 0.
// `group` may be NULL.
template <typename Group, typename Member>
bool offered(const Group* group, Member Group::*member) {
  if (group == nullptr) return false;
  const auto* const start = reinterpret_cast<const std::byte*>(group);
  const auto* const place = reinterpret_cast<const std::byte*>(&(group->*member));
  const auto end = static_cast<std::size_t>(place - start) + sizeof(Member);
  return end <= group->struct_size && group->*member != Member{};
}

// Returns a group or facts to which the table points, or NULL. The adapter owns them.
template <typename Group>
const Group* group_of(const dlcert_adapter& table, const Group* dlcert_adapter::*member) {
  return offered(&table, member) ? table.*member : nullptr;
}

}  // namespace dlcert
