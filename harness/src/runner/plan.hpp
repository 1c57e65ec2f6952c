// SPDX-License-Identifier: Apache-2.0
//
// What is to be run: the requirements that the selection and the profile leave, with the checks
// that test them, per pair of parties. A pure function of the register, the worker's inventory and
// the selection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "records/job.hpp"
#include "register/rules.hpp"
#include "register/selection.hpp"
#include "report/results.hpp"

namespace dlcert {

// One case of a saved counterexample, to be run alone and described.
struct Replay {
  std::uint64_t seed = 0, cases = 0;  // of the unit that the case belonged to
  std::uint64_t case_index = 0;
  Choices choices;  // empty for a row of a table
};

struct PlannedCheck {
  std::uint32_t check = 0;  // index into Inventory::checks
  int producer = spy_index;
  int consumer = spy_index;
  std::optional<Replay> replay;
  // Not empty: it does not apply to the adapter and is not run, as a function is missing ("needs
  // capsules"), or tensors on the vendor's devices are.
  std::string lacking = {};
};

struct PlannedRequirement {
  std::string id;
  Level level = Level::must;
  bool binding = false;              // its failure counts for the exit code
  std::string grace;                 // Standing::grace
  bool corrupts = false;             // its breach corrupts data: Requirement::about
  std::string producer, consumer;    // names as in the results
  std::vector<PlannedCheck> checks;  // empty when there is a reason
  bool applies = true;               // false: it cannot be tested between these parties
  // Why no check runs: "hardware-only", "needs device memory", "since DLPack 1.3", ...
  std::string reason;
};

struct Plan {
  std::vector<PlannedRequirement> requirements;
  bool filtered = false;  // a selection, not the whole certification
};

// Binds every adapter of `inventory` to the spy in the roles that it declares. Requirements outside
// the profile (settings.spec, array_api, runtime) and those of later rules are left out; one is
// there, with its reason, when its ID is given in full. Those of a role that the adapter lacks do
// not apply; one without a check has the reason "no check tests this requirement". Throws
// std::invalid_argument (one line) as select() does, and for adapters that cannot be told apart by
// name.
Plan make_plan(const Register& known, const Inventory& inventory, const Selection& selection,
               const Settings& settings, const Strictness& strictness = {});

// Sets the members that say how the requirement counts.
void set_standing(PlannedRequirement& planned, Standing standing);

// Throws std::invalid_argument (one line) for adapters that cannot be told apart by name.
void require_distinct_names(const std::vector<AdapterInfo>& adapters);

// The plan that repeats a saved counterexample (report/counterexample.hpp), binding as it was, or
// more so with `strict`. Throws
// std::invalid_argument when the worker has no such check or the adapters lack its role.
Plan replay_plan(const Results& counterexample, const Register& known, const Inventory& inventory,
                 bool strict = false);

}  // namespace dlcert
