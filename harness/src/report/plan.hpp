// SPDX-License-Identifier: Apache-2.0
//
// What is to be run: the requirements that the selection and the profile leave, with the checks
// that test them, per pair of parties. A pure function of the register, the worker's inventory and
// the selection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/register.hpp"

namespace dlcert {

struct Selection {
  std::vector<std::string>
      ids{};  // IDs, their beginnings ("abi.dtype") or globs ("abi.*.code-*"); empty: all
  std::vector<std::string> areas{};  // empty: all
  std::vector<Level> levels{};       // empty: all
  std::optional<Role> role{};        // only checks of this role
};

// One case of a saved counterexample, to be run alone and described.
struct Replay {
  std::uint64_t seed = 0, cases = 0;  // of the unit that it was a case of
  std::uint64_t case_index = 0;
  Choices choices;  // empty for a row of a table
};

struct PlannedCheck {
  std::uint32_t check = 0;  // index into Inventory::checks
  int producer = spy_index;
  int consumer = spy_index;
  std::optional<Replay> replay;
};

struct PlannedRequirement {
  std::string id;
  Level level = Level::must;
  std::string producer, consumer;      // names as in the results
  std::vector<PlannedCheck> checks;    // empty when there is a reason
  Verdict verdict = Verdict::not_run;  // of an entry without checks: not run, or not applicable
  std::string
      reason;  // why no check runs: "python-only", "needs device memory", "since DLPack 1.3", ...
};

struct Plan {
  std::vector<PlannedRequirement> requirements;
  bool filtered = false;
};

// Binds every adapter of `inventory` to the spy in the roles that it declares. Requirements outside
// the profile (settings.spec, array_api, runtime) are left out, and so are areas of which the
// worker holds no check; either is there, with its reason, when its ID is given in full. Those of a
// role that the adapter lacks are not applicable. Throws std::invalid_argument (one line) for an
// unknown ID or area, naming the nearest match, and for adapters that cannot be told apart by name.
Plan make_plan(const Register& known, const Inventory& inventory, const Selection& selection,
               const Settings& settings);

// The requirements of the register that a selection names, in the register's order. Throws as
// make_plan does.
std::vector<const Requirement*> select(const Register& known, const Selection& selection);

}  // namespace dlcert
