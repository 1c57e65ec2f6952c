// SPDX-License-Identifier: Apache-2.0
//
// The options that several commands share. Each function adds some to a command; they are read into
// `options`, which must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace dlcert {

// Headings of groups of options in --help.
namespace option_group {
constexpr const char* filters = "Requirements";
constexpr const char* profile = "Standards and policies";
constexpr const char* execution = "Execution";
constexpr const char* output = "Output";
constexpr const char* hidden = "";  // for DlcertCertification.cmake
}  // namespace option_group

// Takes decimal digits of that range, without its leading zeros.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

void add_selection_options(CLI::App& command, Options& options);
void add_python_option(CLI::App& command, Options& options);
void add_adapter_options(CLI::App& command, Options& options);
void add_profile_options(CLI::App& command, Options& options);
void add_run_options(CLI::App& command, Options& options);
void add_preflight_option(CLI::App& command, Options& options);
void add_output_options(CLI::App& command, Options& options);

// The options that verdicts can depend on, as they were given: a name and its values, with a space
// between.
std::map<std::string, std::string> given_options(const CLI::App& command);

}  // namespace dlcert
