// SPDX-License-Identifier: Apache-2.0
//
// The list of visible devices: what holds of every value.
#include <algorithm>
#include <array>

#include "devices/support.hpp"
#include "generators/visible_devices.hpp"
#include "registration.hpp"

namespace dlcert::devices {

DLCERT_FAMILY(visible_values)

namespace {

using testbench::set_variable;

constexpr int most_devices = 8;

int draw_number_of_devices(Case& c) {
  return static_cast<int>(c.draw.between(1, most_devices));
}

std::vector<std::string> list_of(const Case& c, const VisibleEntries& entries) {
  set_variable(visible_variable(), visible_value(entries));
  return visible_list(c);
}

DLCERT_CHECK(
    no_value_yields_more_devices_than_there_are,
    if_touched(on_both_vendors(device_check("devices.count.truncate-out-of-range",
                                            "no value yields more devices than there are")))) {
  const auto uuids = draw_uuids(c.draw, static_cast<std::size_t>(draw_number_of_devices(c)));
  const std::string value = draw_visible_value(c.draw, uuids);
  const auto devices = static_cast<int>(uuids.size());
  const ArrangedEnvironment arranged{c,
                                     {.variables = {{visible_variable(), value}},
                                      .management_settings = settings_of(uuids),
                                      .devices = devices}};
  const auto counted = GpuDevices{c.subject()}.device_count();
  if (!counted.ok()) return c.declined("refused");
  c.touched();
  const std::int64_t found = require(counted, "device_count");
  expect(found >= 0 && found <= devices, "devices of {:?}: expected 0 to {} but found {}", value,
         devices, found);
}

DLCERT_CHECK(
    order_of_the_ordinals_is_kept,
    if_touched(on_both_vendors(device_check("devices.visible.index-list",
                                            "ordinals in any order are listed in that order")))) {
  const VisibleEntries drawn = draw_ordinal_list(c.draw, most_devices, 2);
  VisibleEntries entries = permuted(c.draw, drawn);
  if (entries == drawn) std::ranges::reverse(entries);
  c.touched();
  const ArrangedEnvironment arranged{c, {.devices = most_devices}};
  expect_list(visible_value(entries), entries, list_of(c, entries));
  expect_equal("devices", static_cast<std::int64_t>(entries.size()), count_devices(c));
}

// More than a list of fixed length may hold; the devices need not be there.
constexpr int many_ordinals = 200;

DLCERT_CHECK(long_list_is_kept,
             on_both_vendors(device_check("devices.visible.index-list",
                                          "a list of hundreds of ordinals is listed whole"))) {
  const VisibleEntries entries = draw_ordinal_list(c.draw, many_ordinals);
  const ArrangedEnvironment arranged{c, {}};
  expect_list(visible_value(entries), entries, list_of(c, entries));
}

DLCERT_CHECK(what_follows_the_end_changes_nothing,
             on_both_vendors(device_check("devices.visible.stop-at-invalid",
                                          "what follows the end of the list changes nothing"))) {
  const VisibleEntries entries = draw_ordinal_list(c.draw, most_devices);
  const auto position = static_cast<std::size_t>(c.draw.below(entries.size() + 1));
  const VisibleEntries stopped = with_stop(c.draw, entries, position);
  const VisibleEntries followed = {visible_value(stopped), draw_visible_value(c.draw)};
  const ArrangedEnvironment arranged{c, {.devices = most_devices}};
  const VisibleEntries expected(entries.begin(),
                                entries.begin() + static_cast<std::ptrdiff_t>(position));
  for (const VisibleEntries& value : {stopped, followed})
    expect_list(visible_value(value), expected, list_of(c, value));
}

DLCERT_CHECK(
    repeated_ordinal_empties_the_list,
    on_both_vendors(device_check("devices.visible.duplicate-empties",
                                 "an ordinal that comes twice anywhere empties the list"))) {
  const VisibleEntries entries = with_duplicate(c.draw, draw_ordinal_list(c.draw, most_devices));
  const ArrangedEnvironment arranged{c, {.devices = most_devices}};
  expect_list(visible_value(entries), {}, list_of(c, entries));
}

// Values of ten million bytes that can be read in one pass: none has many different entries, which
// PyTorch compares with each other, or a long number.
constexpr std::size_t long_values = 5;

std::string long_value(std::size_t row) {
  constexpr std::size_t bytes = 10'000'000;
  const std::array<std::string, long_values> pieces{"x", " ", ",", "-1,", "0,"};
  std::string value = pieces.at(row);
  while (value.size() < bytes)
    value += value;
  value.resize(bytes);
  return value;
}

DLCERT_CHECK(long_value_is_read,
             if_touched(on_both_vendors(device_check("devices.count.truncate-out-of-range",
                                                     "a value of ten million bytes is read",
                                                     long_values)))) {
  const ArrangedEnvironment arranged{c, {.variables = {{visible_variable(), long_value(c.row)}}}};
  const auto counted = GpuDevices{c.subject()}.device_count();
  if (!counted.ok()) return c.declined("refused");
  c.touched();
  const std::int64_t found = require(counted, "device_count");
  expect(found >= 0 && found <= 2, "devices: expected 0 to 2 but found {}", found);
}

}  // namespace
}  // namespace dlcert::devices
