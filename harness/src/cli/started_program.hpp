// SPDX-License-Identifier: Apache-2.0
//
// A program that takes the place of this one, at once or as its child.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/race_report.hpp"

namespace dlcert {

// `words` are the program's, argv[0] among them. Both throw std::system_error where it cannot be
// started.
[[noreturn]] void replace_by(const std::filesystem::path& program, std::vector<std::string> words);

// Waits for its end. Signals that another process sends to this one go to the program; those of the
// terminal it gets itself.
EndOfProgram run_to_its_end(const std::filesystem::path& program, std::vector<std::string> words);

// Ends this process by that signal, as if it had never been between.
[[noreturn]] void end_by(int signal);

}  // namespace dlcert
