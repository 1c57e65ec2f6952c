// SPDX-License-Identifier: Apache-2.0
//
// `dlcert-worker --local`: the checks run in this process, without runner, isolation or records;
// one line per check. For debuggers, profilers and those who write checks. No verdict of it
// certifies anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "records/job.hpp"

namespace dlcert {

struct LocalOptions {
  std::vector<AdapterSource> adapters;
  std::string check = "*";             // glob over requirement IDs
  Platform platform = Platform::cuda;  // checks of another one are left out
  std::uint64_t cases = 1000;
  std::uint64_t seed = 1;  // of the run, as `dlcert run` takes it
  std::optional<std::uint64_t> only_case;
  std::optional<Choices> choices;
  bool program = false;  // also print the stand-alone program of each counterexample
  Settings settings;
};

// Returns 0 when no check failed and none was inconclusive, 1 otherwise, and 2 when nothing could
// run.
int run_local(const LocalOptions& options, const Suite& suite);

}  // namespace dlcert
