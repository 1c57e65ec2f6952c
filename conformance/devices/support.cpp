// SPDX-License-Identifier: Apache-2.0
#include "devices/support.hpp"

#include <fmt/ranges.h>

#include "testbench/visible_rules.hpp"

namespace dlcert::devices {

namespace {

constexpr std::size_t most_shown = 40;

std::string cut(const std::string& text) {
  return text.size() <= most_shown ? text : text.substr(0, most_shown) + "…";
}

}  // namespace

Check device_check(std::string_view requirement, std::string_view sentence, RowCount rows) {
  return {.requirement = requirement,
          .sentence = sentence,
          .role = Role::runtime,
          .needs = static_cast<Needs>(Can::devices),
          .rows = rows,
          .isolation = Isolation::process_per_case};
}

std::string to_text(const std::vector<std::string>& texts) {
  std::vector<std::string> shown;
  for (const std::string& text : texts) {
    if (shown.size() == most_shown) return fmt::format("[{}, …]", fmt::join(shown, ", "));
    shown.push_back(cut(text));
  }
  return fmt::format("[{}]", fmt::join(shown, ", "));
}

std::string settings_of(std::span<const std::string> uuids) {
  std::string settings = fmt::format("devices={}", uuids.size());
  for (std::size_t i = 0; i < uuids.size(); ++i)
    settings += fmt::format(";device.{}.uuid={}", i, uuids[i]);
  return settings;
}

std::vector<std::string> visible_list(const Case& c) {
  return require(GpuDevices{c.subject()}.visible_devices(), "visible_devices");
}

std::int64_t count_devices(const Case& c) {
  return require(GpuDevices{c.subject()}.device_count(), "device_count");
}

void expect_list(const std::optional<std::string>& value, const std::vector<std::string>& expected,
                 const std::vector<std::string>& found) {
  if (found == expected) return;
  owned_by(testbench::owners_of_list(value, found), [&] {
    fail_equal(fmt::format("visible devices of {:?}", value.value_or("(unset)")), to_text(expected),
               to_text(found));
  });
}

void expect_count(std::string_view what, const std::optional<std::string>& value,
                  std::int64_t existing, std::int64_t expected, std::int64_t found) {
  owned_by(testbench::owners_of_count(value, existing, runtime_devices, found),
           [&] { expect_equal(what, expected, found); });
}

}  // namespace dlcert::devices
