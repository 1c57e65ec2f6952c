// SPDX-License-Identifier: Apache-2.0
//
// `dlcert with-simulated-gpu PROGRAM`: any program over the drop-in libraries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlcert {

struct SimulatedGpu {
  std::uint64_t devices = 1;
  std::string vendor = "cuda";
  std::string schedule = "late";
  std::uint64_t seed = 1;            // of the schedule "seeded"
  std::vector<std::string> program;  // and its arguments; "--" may stand before it
};

// Replaces this process by the program. Throws std::runtime_error, one line, where it cannot be
// redirected.
int with_simulated_gpu(const SimulatedGpu& options);

}  // namespace dlcert
