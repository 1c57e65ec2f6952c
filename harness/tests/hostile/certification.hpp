// SPDX-License-Identifier: Apache-2.0
//
// Certifies the hostile library by the suite of hostile_worker.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "runner/runner.hpp"

namespace dlcert::hostile {

// Limits that suit tests; one worker, so that checks run in the order of the suite.
RunOptions test_options();

// Every check of the worker, under the requirement that it names.
Plan plan_everything(const Inventory& inventory);

Results certify(const RunOptions& options, const RunObserver& observer);

// The processes whose environment holds `entry`.
std::vector<pid_t> processes_with(const std::string& entry);

}  // namespace dlcert::hostile
