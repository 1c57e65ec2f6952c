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

// The requirements of which the breach of one alone explains why `found` is listed for `value`.
Owners owners_of_list(const std::optional<std::string>& value,
                      const std::vector<std::string>& found);

// The same for the number of devices, of the `existing` ones. Those of an empty list must not be
// counted by the runtime, which has `of_runtime`.
Owners owners_of_count(const std::optional<std::string>& value, std::int64_t existing,
                       std::int64_t of_runtime, std::int64_t found);

}  // namespace dlcert::testbench
