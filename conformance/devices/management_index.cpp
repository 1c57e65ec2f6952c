// SPDX-License-Identifier: Apache-2.0
//
// Which device of the management library a logical device is.
#include <array>

#include <dlcert/suite/trace.hpp>

#include "devices/support.hpp"
#include "generators/visible_devices.hpp"
#include "registration.hpp"
#include "testbench/errors.hpp"

namespace dlcert::devices {

DLCERT_FAMILY(management_index)

namespace {

using testbench::expect_kind;
using testbench::touched_if;

constexpr int machine_devices = 8;

Outcome<std::int64_t> index_of(const Case& c, std::int64_t device) {
  return GpuDevices{c.subject()}.management_index(integer(device));
}

void expect_index(const Case& c, std::int64_t device, std::int64_t expected) {
  expect_equal(fmt::format("management index of device {}", device), expected,
               require(index_of(c, device), "management_index"));
}

// Whether device 0 of the machine in which `value` lists it has an index: the control of refusals,
// in a child, as a process has one machine.
bool has_index_in_child(const Case& c, const std::string& value) {
  const TracePause pause;
  const auto end = testbench::in_forked_child([&] {
    const ArrangedEnvironment arranged{
        c, {.variables = {{visible_variable(), value}}, .management_settings = "devices=2"}};
    return std::string{index_of(c, 0).ok() ? "found" : "refused"};
  });
  return end.answer == "found";
}

constexpr std::string_view all_refused = "an ordinal of a device that is there is refused too";

void expect_refused(const Case& c, std::int64_t device) {
  const auto outcome = index_of(c, device);
  expect_refusal(!outcome.ok(), "device {}: expected a refusal but found an index", device);
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

DLCERT_CHECK(ordinals_are_looked_up,
             if_touched(on_cuda(device_check("devices.nvml-index",
                                             "ordinals are looked up in the list"))),
             if_touched(on_rocm(device_check("devices.amdsmi-index",
                                             "ordinals are looked up in the list")))) {
  const VisibleEntries entries = draw_ordinal_list(c.draw, machine_devices);
  const auto size = static_cast<std::int64_t>(entries.size());
  const ArrangedEnvironment arranged{
      c,
      {.variables = {{visible_variable(), visible_value(entries)}},
       .management_settings = fmt::format("devices={}", machine_devices)}};
  const std::int64_t device = c.draw.between(0, size - 1);
  const std::int64_t expected = std::stoll(entries[static_cast<std::size_t>(device)]);
  if (expected != device) c.touched();
  expect_index(c, device, expected);
}

DLCERT_CHECK(device_outside_the_list_is_refused,
             on_cuda(device_check("devices.nvml-index", "a device outside the list is refused")),
             on_rocm(device_check("devices.amdsmi-index",
                                  "a device outside the list is refused"))) {
  const VisibleEntries entries = draw_ordinal_list(c.draw, machine_devices);
  const auto size = static_cast<std::int64_t>(entries.size());
  const ArrangedEnvironment arranged{
      c,
      {.variables = {{visible_variable(), visible_value(entries)}},
       .management_settings = fmt::format("devices={}", machine_devices)}};
  expect_index(c, 0, std::stoll(entries.front()));
  expect_not_visible(c, c.draw.flip() ? -1 - c.draw.between(0, size) : size + c.draw.between(0, 8));
}

DLCERT_CHECK(
    empty_list_has_no_index,
    if_touched(on_cuda(device_check("devices.nvml-index", "an empty list has no index", 3))),
    if_touched(on_rocm(device_check("devices.amdsmi-index", "an empty list has no index", 3)))) {
  const std::array<std::string, 3> values{"", "-1", "0,0"};
  touched_if(c, has_index_in_child(c, "0"), all_refused);
  const ArrangedEnvironment arranged{c, {.variables = {{visible_variable(), values.at(c.row)}}}};
  expect_refusal(!index_of(c, 0).ok(),
                 "device 0 of an empty list: expected a refusal but found an index");
}

DLCERT_CHECK(uuids_are_looked_up,
             on_cuda(device_check("devices.nvml-index",
                                  "UUIDs are looked up among the machine's"))) {
  const auto uuids = draw_uuids(c.draw, 4);
  const auto device = static_cast<std::size_t>(1 + c.draw.below(uuids.size() - 1));
  const std::size_t other = (device + 1) % uuids.size();
  const ArrangedEnvironment arranged{
      c,
      {.variables = {{visible_variable(), visible_value({uuids[device], uuids[other]})}},
       .management_settings = settings_of(uuids)}};
  expect_index(c, 0, static_cast<std::int64_t>(device));
  expect_index(c, 1, static_cast<std::int64_t>(other));
  expect_not_visible(c, 2);
}

DLCERT_CHECK(failing_uuids_are_an_error,
             if_touched(on_cuda(device_check("devices.nvml-index",
                                             "UUIDs that cannot be had are an error", 1)))) {
  touched_if(c, has_index_in_child(c, "0"), all_refused);
  const ArrangedEnvironment arranged{
      c,
      {.variables = {{visible_variable(), "GPU-00000000"}},
       .management_settings = "devices=2;fail=nvmlDeviceGetUUID:999"}};
  expect_refused(c, 0);
}

DLCERT_CHECK(identifiers_are_refused,
             if_touched(on_rocm(device_check("devices.amdsmi-index", "identifiers are refused",
                                             3)))) {
  const std::array<std::string, 3> values{"GPU-a", "GPU-00000000,GPU-b", "MIG-a"};
  touched_if(c, has_index_in_child(c, "0"), all_refused);
  const ArrangedEnvironment arranged{c, {.variables = {{visible_variable(), values.at(c.row)}}}};
  expect_refused(c, 0);
}

}  // namespace
}  // namespace dlcert::devices
