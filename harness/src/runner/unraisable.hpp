// SPDX-License-Identifier: Apache-2.0
//
// Errors that nobody could catch: of finalizers, deleters, threads.
#pragma once

#include <vector>

#include "report/results.hpp"

namespace dlcert {

// A library may raise such an error in a check of any requirement. It breaks
// lifetime.no-unraisable-errors alone: the first check of that requirement, between the same
// parties, fails by it unless it has failed already. Does nothing where that requirement was not
// selected or has no check.
void judge_unraisable(std::vector<RequirementResult>& results);

}  // namespace dlcert
