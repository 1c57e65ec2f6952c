// SPDX-License-Identifier: Apache-2.0
//
// What the checks of devices share: their heads, and questions that must be answered.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>

#include "testbench/environment.hpp"

namespace dlcert::devices {

using testbench::ArrangedEnvironment;
using testbench::Environment;
using testbench::is_rocm;
using testbench::visible_variable;

// The runtime's count wherever it has to differ from that of the management library.
constexpr int runtime_devices = 7;

// A check of a runtime that offers devices, each case in a process of its own.
Check device_check(std::string_view requirement, std::string_view sentence, RowCount rows = {});

// "[0, 1]"; long lists and texts are cut.
std::string to_text(const std::vector<std::string>& texts);

// The stand-in's settings for devices with these UUIDs.
std::string settings_of(std::span<const std::string> uuids);

// The list of visible devices under the environment of this moment.
std::vector<std::string> visible_list(const Case& c);
std::int64_t count_devices(const Case& c);

// The list that the library gives for a value of the variable.
void expect_list(const std::optional<std::string>& value, const std::vector<std::string>& expected,
                 const std::vector<std::string>& found);
// The number of devices that it counts for the value, of the `existing` ones.
void expect_count(std::string_view what, const std::optional<std::string>& value,
                  std::int64_t existing, std::int64_t expected, std::int64_t found);

}  // namespace dlcert::devices
