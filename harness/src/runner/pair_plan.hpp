// SPDX-License-Identifier: Apache-2.0
//
// What is to be run of libraries with each other (dlcert matrix). Pure functions, as make_plan().
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runner/plan.hpp"

namespace dlcert {

// The checks of pairs with the harness in the place of the one library and of the other: which side
// of a pair is at fault is told by what each shows here. Throws as make_plan().
Plan plan_controls(const Register& known, const Inventory& inventory, const Selection& selection,
                   const Settings& settings, const Strictness& strictness);

// A pair that is not run, and why: the names of producer and consumer.
struct BarredPair {
  std::string producer, consumer, reason;
};

// Each library as producer for each as consumer, itself included.
Plan plan_pairs(const Register& known, const Inventory& inventory, const Selection& selection,
                const Settings& settings, const Strictness& strictness,
                const std::vector<BarredPair>& barred);

}  // namespace dlcert
