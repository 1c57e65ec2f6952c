// SPDX-License-Identifier: Apache-2.0
//
// Wrong values that no check of the requirement on values has met: in the preflight, or in a case
// that is about another rule.
#pragma once

#include <vector>

#include "report/results.hpp"

namespace dlcert {

// Holds them against the requirement on the values of the role, protocol.export.values or
// protocol.from.new-array, where that is among the results and has not failed itself: it fails if
// the difference came again in a new process (CheckResult::values_repeated), and is flaky
// otherwise. No other requirement is accused. `results` are complete, without waivers applied.
void judge_values(Results& results, const std::vector<EarlyValues>& early);

}  // namespace dlcert
