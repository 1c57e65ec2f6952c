// SPDX-License-Identifier: Apache-2.0
//
// The rules by which the variable of visible devices is read, as torch 2.4 reads it, and what a
// library that breaks one of them answers. Such an answer proves which rule is broken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/facts.hpp"

namespace dlcert::testbench {

// By all rules: ordinals as decimals, or identifiers. An element that is a sign without digits ends
// the list.
std::vector<std::string> listed(const std::optional<std::string>& value);

// Returns the requirements whose breach, each alone, explains why `found` is listed for `value`.
Owners owners_of_list(const std::optional<std::string>& value,
                      const std::vector<std::string>& found);

// The same for a number of devices, of which `existing` are there and the runtime has `of_runtime`.
// The runtime must not count the devices of an empty list.
Owners owners_of_count(const std::optional<std::string>& value, std::int64_t existing,
                       std::int64_t of_runtime, std::int64_t found);

}  // namespace dlcert::testbench
