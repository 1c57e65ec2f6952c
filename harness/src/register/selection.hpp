// SPDX-License-Identifier: Apache-2.0
//
// The part of the register that somebody asks for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "register/register.hpp"

namespace dlcert {

struct Selection {
  // IDs, their beginnings ("abi.dtype") or globs ("abi.*.code-*"); empty: all.
  std::vector<std::string> ids{};
  std::vector<std::string> areas{};     // empty: all
  std::vector<std::string> features{};  // empty: all
  std::vector<Level> levels{};          // empty: all
  std::optional<Role> role{};           // only what binds this role; none: every role

  bool is_whole() const;  // nothing is left out
};

// The requirements that a selection names, in the register's order. Throws std::invalid_argument
// (one line) for an unknown ID, area or feature, naming the nearest match.
std::vector<const Requirement*> select(const Register& known, const Selection& selection);

// Whether an ID, the beginning of one or a glob names a requirement of this ID.
bool names(std::string_view pattern, std::string_view id);

// Whether the requirement binds libraries in this role.
bool binds(const Requirement& requirement, Role role);

}  // namespace dlcert
