// SPDX-License-Identifier: Apache-2.0
//
// The part of the register that somebody asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "register/register.hpp"

namespace dlcert {

struct Selection {
  // IDs, their beginnings ("abi.dtype") or globs ("abi.*.code-*"); empty: all.
  std::vector<std::string> ids{};
  std::vector<std::string> areas{};  // empty: all
  std::vector<Level> levels{};       // empty: all
  std::optional<Role> role{};        // only what binds this role; none: every role
};

// The requirements that a selection names, in the register's order. Throws std::invalid_argument
// (one line) for an unknown ID or area, naming the nearest match.
std::vector<const Requirement*> select(const Register& known, const Selection& selection);

// Whether the requirement binds libraries in this role.
bool binds(const Requirement& requirement, Role role);

}  // namespace dlcert
