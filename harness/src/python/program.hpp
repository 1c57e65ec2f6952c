// SPDX-License-Identifier: Apache-2.0
//
// Other programs of this machine: where they are, and what they answer.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace dlcert {

// Whether it is a file that may be executed.
bool is_program(const std::filesystem::path& path);

// The program that a shell would start for `name`: the path itself where it has a slash, else the
// first of that name on PATH. Absolute, and not followed where it is a link; empty: there is none.
std::string find_program(const std::string& name);

// Starts a program, given by its path and its arguments, and returns the end of what it printed, on
// both streams. It reads nothing, and is killed, with its process group, once it has closed its
// output or `patience` is over. Throws std::system_error where it cannot be started.
std::string ask_program(const std::vector<std::string>& command,
                        std::chrono::milliseconds patience);

}  // namespace dlcert
