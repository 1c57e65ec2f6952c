// SPDX-License-Identifier: Apache-2.0
//
// Which failures follow from the breach of another requirement: by the assertion that failed, or by
// experiment.
//
// An assertion that many checks make states a fact that one requirement is about (owned_by()). If
// that requirement failed as well, by an assertion of its own, the failure is its consequence.
//
// Otherwise: the input of a failed case has properties (suite/input_properties.hpp). If the owner
// of one of them failed as well, the check runs again with cases that do not have the property:
//
// - It passes, and passes again with another seed: the failure is a consequence of the owner.
// - It fails: it is no consequence of that owner alone. The properties of the new counterexample
//   are tried next, and at last all of them together. The failure is then shown by a counterexample
//   without the properties.
//
// The same is done for a property that the library declined, as it may: if the check passes, that
// is the verdict. The properties are left out before the library is called, so crashes are
// separated in the same way.
//
// What is left of crashes at the same place in the code is one fault: that of the requirement with
// the smallest counterexample.
#pragma once

#include <chrono>
#include <vector>

#include "runner/plan.hpp"
#include "runner/trial.hpp"
#include "runner/unit_runner.hpp"

namespace dlcert {

// Sets Trial::consequence, Trial::refuted and Trial::outcome of the trials that went wrong, after
// they were confirmed and described. Runs nothing if no trial went wrong, and begins nothing more
// after `at_most`.
void find_consequences(std::vector<Trial>& trials, const Plan& plan, const Inventory& inventory,
                       const UnitRunner& runner, std::chrono::steady_clock::duration at_most);

}  // namespace dlcert
