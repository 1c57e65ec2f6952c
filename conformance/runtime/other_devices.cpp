// SPDX-License-Identifier: Apache-2.0
//
// What a call about one device does to the others: contexts, and which device is current.
#include <algorithm>
#include <array>
#include <span>

#include "registration.hpp"
#include "runtime/support.hpp"
#include "testbench/environment.hpp"
#include "testbench/threads.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(other_devices)

namespace {

using testbench::ArrangedEnvironment;
using testbench::on_new_thread;

// A function that gets a device, of a library whose driver has started.
struct CallOfDevice {
  const char* name;
  void (*call)(const Party& library, const dlcert_value& device);
};

// Of each of them torch asks the runtime without a change of the current device, or under a guard.
constexpr std::array calls_of_device{
    CallOfDevice{"device_name",
                 [](const Party& p, const dlcert_value& device) {
                   require(GpuDevices{p}.device_name(device), "device_name");
                 }},
    CallOfDevice{"device_capability",
                 [](const Party& p, const dlcert_value& device) {
                   require(GpuDevices{p}.device_capability(device), "device_capability");
                 }},
    CallOfDevice{"device_properties",
                 [](const Party& p, const dlcert_value& device) {
                   require(GpuDevices{p}.device_properties(device), "device_properties");
                 }},
    CallOfDevice{"can_access_peer",
                 [](const Party& p, const dlcert_value& device) {
                   require(GpuDevices{p}.can_access_peer(device, integer(0)), "can_access_peer");
                 }},
    CallOfDevice{"current_stream_of",
                 [](const Party& p, const dlcert_value& device) {
                   require(GpuRuntime{p}.current_stream_of(device), "current_stream_of");
                 }},
    CallOfDevice{"default_stream_of",
                 [](const Party& p, const dlcert_value& device) {
                   require(GpuRuntime{p}.default_stream_of(device), "default_stream_of");
                 }},
    CallOfDevice{"new_stream",
                 [](const Party& p, const dlcert_value& device) {
                   require(GpuRuntime{p}.new_stream(device), "new_stream");
                 }},
    CallOfDevice{"synchronize_device",
                 [](const Party& p, const dlcert_value& device) {
                   require(GpuRuntime{p}.synchronize_device(device), "synchronize_device");
                 }},
    CallOfDevice{"generator_offset",
                 [](const Party& p, const dlcert_value& device) {
                   require(GpuRuntime{p}.generator_offset(device), "generator_offset");
                 }},
    CallOfDevice{"set_generator_offset",
                 [](const Party& p, const dlcert_value& device) {
                   require(GpuRuntime{p}.set_generator_offset(4, device), "set_generator_offset");
                 }},
    CallOfDevice{"gpu_object",
                 [](const Party& p, const dlcert_value& device) {
                   require(GpuRuntime{p}.gpu_object(device), "gpu_object");
                 }},
};

// A device that is not current in a new process.
int draw_second_device(Case& c) {
  return draw_other_device(c, 0);
}

bool is_in_use(int device) {
  return std::ranges::count(driver::simulated_driver().devices_in_use(), device) != 0;
}

// Device 0 is current, and what the return to it does has a policy.
void expect_no_third_context(int device, std::string_view what) {
  for (int other = 1; other < device_count; ++other)
    expect(other == device || !is_in_use(other),
           "contexts behind {} for device {}, with device 0 current: found one on device {}", what,
           device, other);
}

void judge_return(Case& c, std::string_view what) {
  const bool made = is_in_use(0);
  c.observe(made ? "a context on the former device" : "no context on the former device");
  expect(!made || c.settings.policy("guard-return-context") == "record",
         "policy guard-return-context=none: found a context on device 0, which nobody has used, "
         "behind {}",
         what);
}

// ---- contexts -----------------------------------------------------------------------------------

DLCERT_CHECK(call_makes_no_context_elsewhere,
             on_both_vendors(in_fresh_process("runtime.device-guard",
                                              "a call for one device makes a context on no third",
                                              calls_of_device.size()))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const int device = draw_second_device(c);
  const CallOfDevice& one = calls_of_device.at(c.row);
  require(GpuRuntime{c.subject()}.initialize(), "initialize");
  one.call(c.subject(), draw_name_of(c, device));
  expect_no_third_context(device, one.name);
  judge_return(c, one.name);
}

DLCERT_CHECK(change_of_device_makes_no_third_context,
             on_both_vendors(in_fresh_process("runtime.device-guard",
                                              "a change of the device makes a context on no third",
                                              3))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = draw_second_device(c);
  if (c.row == 0) require(runtime.set_device(draw_name_of(c, device)), "set_device");
  if (c.row == 1) require(runtime.exchange_device(device), "exchange_device");
  if (c.row == 2) require(runtime.maybe_exchange_device(device), "maybe_exchange_device");
  expect_no_third_context(device, "a change of the device");
}

DLCERT_CHECK(return_of_a_guard,
             on_both_vendors(in_fresh_process(
                 "runtime.device-guard",
                 "the return of a guard makes contexts as the policy says, and on no third"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = draw_second_device(c);
  const bool of_object = c.draw.flip();
  const Guard guard =
      of_object ? require(runtime.device_of_guard(pair(gpu_type(), device)), "device_of_guard")
                : require(runtime.device_guard(draw_name_of(c, device)), "device_guard");
  for (auto entries = c.draw.between(1, 3); entries > 0; --entries)
    within(runtime, guard, [] {});
  expect_no_third_context(device, "a guard");
  judge_return(c, "a guard");
}

// ---- the current device -------------------------------------------------------------------------

void expect_current_stays(Case& c, const CallOfDevice& one) {
  const GpuRuntime runtime{c.subject()};
  const int current = draw_device(c);
  set_device_of_driver(current);
  for (auto calls = c.draw.between(1, 3); calls > 0; --calls)
    one.call(c.subject(), draw_name_of(c, draw_other_device(c, current)));
  expect_current(runtime, current, fmt::format("behind {} of another device", one.name));
}

DLCERT_CHECK(call_of_another_device_leaves_the_current_one,
             on_both_vendors(in_fresh_process("runtime.current-device",
                                              "a call for another device leaves the current one "
                                              "alone, in each thread",
                                              calls_of_device.size()))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  use_all_devices();
  const CallOfDevice& one = calls_of_device.at(c.row);
  const bool first_elsewhere = c.draw.flip();
  if (first_elsewhere) on_new_thread([&] { expect_current_stays(c, one); });
  expect_current_stays(c, one);
  if (!first_elsewhere) on_new_thread([&] { expect_current_stays(c, one); });
}

}  // namespace
}  // namespace dlcert::runtime
