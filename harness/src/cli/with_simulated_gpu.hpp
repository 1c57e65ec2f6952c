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
  std::string amd_smi = "24";  // whose structures AMD SMI has: "24" or "26"
  std::string schedule = "late";
  std::uint64_t seed = 1;             // of the schedule "seeded"
  bool races = false;                 // tells what the simulated driver saw unordered
  std::uint64_t error_exitcode = 66;  // where there are races and the program itself ended with 0
  std::string races_json;             // path of a file for them; empty: none
  std::vector<std::string> program;   // and its arguments; "--" may stand before it
};

// Replaces this process by the program; with `races` waits for its end, and returns the exit code,
// or ends by the signal that ended the program. Throws std::runtime_error, one line, where it
// cannot be redirected.
int with_simulated_gpu(const SimulatedGpu& options);

}  // namespace dlcert
