// SPDX-License-Identifier: Apache-2.0
//
// Runs the saved programs of counterexamples, each once: whether a fault shows without dlcert too.
#pragma once

#include <filesystem>

#include "report/results.hpp"
#include "runner/runner.hpp"

namespace dlcert {

// Notes in `results` what the programs that save_counterexamples() has written into `saved` do,
// under the limits and in the environment that a case had: the first options.most_programs. No
// verdict changes. On return no process that one started is left. Throws std::system_error where no
// folder for what is built can be made.
void run_programs(Results& results, const std::filesystem::path& saved, const RunOptions& options);

}  // namespace dlcert
