// SPDX-License-Identifier: Apache-2.0
//
// Which device of the management library a logical device is.
#include <array>

#include "devices/families.hpp"
#include "devices/support.hpp"
#include "generators/visible_devices.hpp"
#include "testbench/errors.hpp"
#include "testbench/platforms.hpp"

namespace dlcert::devices {

namespace {

using testbench::add_for_cuda;
using testbench::add_for_rocm;
using testbench::expect_kind;

constexpr int machine_devices = 8;

Outcome<std::int64_t> index_of(const Case& c, std::int64_t device) {
  return GpuDevices{c.subject()}.management_index(integer(device));
}

void expect_index(const Case& c, std::int64_t device, std::int64_t expected) {
  expect_equal(fmt::format("management index of device {}", device), expected,
               require(index_of(c, device), "management_index"));
}

void expect_refused(const Case& c, std::int64_t device) {
  const auto outcome = index_of(c, device);
  expect(!outcome.ok(), "device {}: expected a refusal but found an index", device);
  expect_kind(c.subject(), outcome.error(), DLCERT_ERROR_RUNTIME,
              fmt::format("the error of device {}", device));
}

void expect_not_visible(const Case& c, std::int64_t device) {
  expect_refused(c, device);
  if (!c.subject().declares(DLCERT_FAITHFUL_ERRORS)) return;
  const std::string message{index_of(c, device).error().message};
  expect(message.find(visible_variable()) != message.npos,
         "the error of device {}: expected it to name {} but found \"{}\"", device,
         visible_variable(), message);
}

void ordinals_are_looked_up(Case& c) {
  const VisibleEntries entries = draw_ordinal_list(c.draw, machine_devices);
  const auto size = static_cast<std::int64_t>(entries.size());
  const ArrangedEnvironment arranged{
      c,
      {.variables = {{visible_variable(), visible_value(entries)}},
       .management_settings = fmt::format("devices={}", machine_devices)}};
  const std::int64_t device = c.draw.between(0, size - 1);
  expect_index(c, device, std::stoll(entries[static_cast<std::size_t>(device)]));
}

void device_outside_the_list_is_refused(Case& c) {
  const VisibleEntries entries = draw_ordinal_list(c.draw, machine_devices);
  const auto size = static_cast<std::int64_t>(entries.size());
  const ArrangedEnvironment arranged{
      c,
      {.variables = {{visible_variable(), visible_value(entries)}},
       .management_settings = fmt::format("devices={}", machine_devices)}};
  expect_not_visible(c, c.draw.flip() ? -1 - c.draw.between(0, size) : size + c.draw.between(0, 8));
}

void empty_list_has_no_index(Case& c) {
  const std::array<std::string, 3> values{"", "-1", "0,0"};
  const ArrangedEnvironment arranged{c, {.variables = {{visible_variable(), values.at(c.row)}}}};
  expect(!index_of(c, 0).ok(), "device 0 of an empty list: expected a refusal but found an index");
}

void uuids_are_looked_up(Case& c) {
  const auto uuids = draw_uuids(c.draw, 4);
  const auto device = static_cast<std::size_t>(c.draw.below(uuids.size()));
  const std::size_t other = (device + 1) % uuids.size();
  const ArrangedEnvironment arranged{
      c,
      {.variables = {{visible_variable(), visible_value({uuids[device], uuids[other]})}},
       .management_settings = settings_of(uuids)}};
  expect_index(c, 0, static_cast<std::int64_t>(device));
  expect_index(c, 1, static_cast<std::int64_t>(other));
  expect_not_visible(c, 2);
}

void failing_uuids_are_an_error(Case& c) {
  const ArrangedEnvironment arranged{
      c,
      {.variables = {{visible_variable(), "GPU-00000000"}},
       .management_settings = "devices=2;fail=nvmlDeviceGetUUID:999"}};
  expect_refused(c, 0);
}

void identifiers_are_refused(Case& c) {
  const std::array<std::string, 3> values{"GPU-a", "GPU-00000000,GPU-b", "MIG-a"};
  const ArrangedEnvironment arranged{c, {.variables = {{visible_variable(), values.at(c.row)}}}};
  expect_refused(c, 0);
}

void register_for(Suite& suite, void (*add)(Suite&, Check), std::string_view requirement) {
  add(suite,
      device_check(requirement, "ordinals are looked up in the list", ordinals_are_looked_up));
  add(suite, device_check(requirement, "a device outside the list is refused",
                          device_outside_the_list_is_refused));
  add(suite, device_check(requirement, "an empty list has no index", empty_list_has_no_index, 3));
}

}  // namespace

void register_management_index_checks(Suite& suite) {
  register_for(suite, add_for_cuda, "devices.nvml-index");
  add_for_cuda(suite, device_check("devices.nvml-index", "UUIDs are looked up among the machine's",
                                   uuids_are_looked_up));
  add_for_cuda(suite, device_check("devices.nvml-index", "UUIDs that cannot be had are an error",
                                   failing_uuids_are_an_error, 1));
  register_for(suite, add_for_rocm, "devices.amdsmi-index");
  add_for_rocm(suite, device_check("devices.amdsmi-index", "identifiers are refused",
                                   identifiers_are_refused, 3));
}

}  // namespace dlcert::devices
