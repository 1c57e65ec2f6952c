// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dlcert/driver/driver.hpp"

#include "program.hpp"

namespace dlcert::driver::programs {

struct Observation {
  std::vector<Outcome> steps;
  std::vector<std::set<int>> finals;  // the bytes that each buffer has at the end
};

/// Runs the program with objects and threads of its own and leaves nothing behind. Throws
/// std::runtime_error, one line, when what surrounds the program fails.
[[nodiscard]] Observation run(const Program& program, Driver& driver);

/// A line for each answer and each buffer that is not as recorded:
/// "file:line: cudaStreamEndCapture: recorded 901 but found 903".
[[nodiscard]] std::vector<std::string> disagreements(std::string_view file, const Program& program,
                                                     const Observation& found, Vendor vendor);

/// Runs the program and compares. What `run` throws becomes a line, too, so that one program does
/// not keep the others from being run.
[[nodiscard]] std::vector<std::string> check(std::string_view file, const Program& program,
                                             Driver& driver);

}  // namespace dlcert::driver::programs
