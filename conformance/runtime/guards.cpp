// SPDX-License-Identifier: Apache-2.0
//
// The current device: its change, and the blocks in which another one is current.
#include <algorithm>
#include <array>
#include <string>

#include "registration.hpp"
#include "runtime/support.hpp"
#include "testbench/environment.hpp"
#include "testbench/errors.hpp"
#include "testbench/threads.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(guards)

namespace {

using testbench::ArrangedEnvironment;
using testbench::expect_kind;
using testbench::on_new_thread;

// ---- the current device -------------------------------------------------------------------------

DLCERT_CHECK(current_device_starts_the_runtime,
             on_both_vendors(in_fresh_process("runtime.current-device",
                                              "asking for the current device starts the runtime",
                                              1))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  expect_initialized(runtime, false, "before");
  expect_current(runtime, 0, "at first");
  expect_initialized(runtime, true, "after asking for the current device");
}

// One of the ways in which a device becomes current; the others have contexts.
void change_device(Case& c, const GpuRuntime& runtime, int device) {
  switch (c.draw.below(4)) {
    case 0:
      require(runtime.set_device(draw_name_of(c, device)), "set_device");
      break;
    case 1:
      require(runtime.exchange_device(device), "exchange_device");
      break;
    case 2:
      require(runtime.maybe_exchange_device(device), "maybe_exchange_device");
      break;
    default:
      set_device_of_driver(device);
  }
}

DLCERT_CHECK(current_device_follows_every_change,
             on_both_vendors(in_fresh_process("runtime.current-device",
                                              "the current device follows every change"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  use_all_devices();
  for (auto changes = c.draw.between(1, 6); changes > 0; --changes) {
    const int device = draw_device(c);
    change_device(c, runtime, device);
    expect_current(runtime, device, "after its change");
  }
}

DLCERT_CHECK(each_thread_has_its_current_device,
             on_both_vendors(in_fresh_process("runtime.current-device",
                                              "each thread has its current device"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  use_all_devices();
  const int device = 1 + static_cast<int>(c.draw.below(device_count - 1));
  require(runtime.set_device(integer(device)), "set_device");
  const int other = draw_other_device(c, device);
  on_new_thread([&] {
    expect_current(runtime, 0, "in a new thread");
    require(runtime.set_device(integer(other)), "set_device");
    expect_current(runtime, other, "in that thread after its set_device");
  });
  expect_current(runtime, device, "in the first thread after set_device in another");
}

// ---- set_device ---------------------------------------------------------------------------------

DLCERT_CHECK(set_device_selects,
             if_touched(on_both_vendors(
                 in_fresh_process("runtime.set-device",
                                  "set_device makes the device current, however it is named")))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = draw_device(c), former = draw_other_device(c, device);
  if (former != 0) require(runtime.set_device(integer(former)), "set_device of another");
  c.touched();
  require(runtime.set_device(draw_name_of(c, device)), "set_device");
  expect_current(runtime, device, "after set_device");
}

DLCERT_CHECK(set_device_ignores_negative_indices,
             on_both_vendors(in_fresh_process("runtime.set-device",
                                              "set_device does nothing for negative indices"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const std::int64_t negative = -c.draw.between(1, 100);
  require(runtime.set_device(integer(negative)), "set_device of a negative index");
  expect_initialized(runtime, false, "after set_device of a negative index");
  const int device = draw_device(c);
  require(runtime.set_device(integer(device)), "set_device");
  require(runtime.set_device(integer(negative)), "set_device of a negative index");
  expect_current(runtime, device, "after set_device of a negative index");
}

constexpr std::size_t refused_devices = 6;

DLCERT_CHECK(set_device_refuses_what_is_no_device_with_index,
             on_both_vendors(in_fresh_process("runtime.set-device",
                                              "set_device refuses None, no index and other devices",
                                              refused_devices))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const std::array refused{none(),      text("cuda"), pair(gpu_type(), -1),
                           text("cpu"), pair(1, 0),   pair(1, -1)};
  require(runtime.set_device(integer(1)), "set_device");
  const auto outcome = runtime.set_device(refused.at(c.row));
  expect_refusal(!outcome.ok(), "set_device: expected a refusal but it was accepted");
  expect_kind(c.subject(), outcome.error(), DLCERT_ERROR_VALUE, "error");
  expect_current(runtime, 1, "after a refused set_device");
}

// ---- exchange -----------------------------------------------------------------------------------

using Exchange = Outcome<std::int64_t> (GpuRuntime::*)(std::int64_t) const;
constexpr std::array<Exchange, 2> exchanges{&GpuRuntime::exchange_device,
                                            &GpuRuntime::maybe_exchange_device};

DLCERT_CHECK(exchange_gives_the_former_device,
             on_both_vendors(in_fresh_process(
                 "runtime.exchange-device",
                 "an exchange gives the former device and makes the new one current"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  int former = draw_device(c);
  use_all_devices(former);
  for (auto changes = c.draw.between(1, 5); changes > 0; --changes) {
    const int device = draw_device(c);
    const Exchange exchange = c.draw.one_of(exchanges);
    expect_equal("former device", std::int64_t{former},
                 require((runtime.*exchange)(device), "exchange"));
    expect_current(runtime, device, "after the exchange");
    former = device;
  }
}

DLCERT_CHECK(exchange_ignores_negative_indices,
             on_both_vendors(
                 in_fresh_process("runtime.exchange-device",
                                  "an exchange with a negative index gives -1 and does nothing"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = draw_device(c);
  use_all_devices(device);
  const Exchange exchange = c.draw.one_of(exchanges);
  expect_equal("former device", std::int64_t{-1},
               require((runtime.*exchange)(-c.draw.between(1, 100)), "exchange"));
  expect_current(runtime, device, "after an exchange with a negative index");
}

// ---- guards -------------------------------------------------------------------------------------

// Runs a block on a drawn device, with changes of the device and other blocks in it.
void run_nested_guards(Case& c, const GpuRuntime& runtime, int depth) {
  const int former = device_of_driver();
  const int device = draw_device(c);
  const Guard guard = require(runtime.device_guard(draw_name_of(c, device)), "device_guard");
  within(runtime, guard, [&] {
    expect_current(runtime, device, "in the guard");
    if (c.draw.flip()) change_device(c, runtime, draw_device(c));
    for (auto inner = depth > 0 ? c.draw.between(0, 2) : 0; inner > 0; --inner)
      run_nested_guards(c, runtime, depth - 1);
  });
  expect_current(runtime, former, "after the guard");
}

DLCERT_CHECK(guards_nest,
             on_both_vendors(in_fresh_process("runtime.device-guard",
                                              "guards nest, whoever changes the device in them"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  use_all_devices(draw_device(c));
  run_nested_guards(c, runtime, 2);
}

DLCERT_CHECK(
    guard_lets_errors_through,
    on_both_vendors(in_fresh_process("runtime.device-guard",
                                     "an error leaves a guard as it was, on the former device"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int former = draw_device(c);
  use_all_devices(former);
  const Guard guard =
      require(runtime.device_guard(integer(draw_other_device(c, former))), "device_guard");
  const auto outcome = runtime.with_guard(guard, []() -> std::optional<Error> {
    return Error{DLCERT_ERROR_VALUE, 0, "ValueError", "raised in the guard"};
  });
  expect(!outcome.ok(), "an error in a guard: expected it to reach the caller but found success");
  expect_kind(c.subject(), outcome.error(), DLCERT_ERROR_VALUE, "error");
  expect(outcome.error().message.find("raised in the guard") != std::string::npos,
         "an error in a guard: expected it as it was but found {}",
         dlcert::to_text(outcome.error()));
  expect_current(runtime, former, "after a guard that an error has left");
}

DLCERT_CHECK(guard_restores_the_device_of_its_entry,
             on_both_vendors(in_fresh_process(
                 "runtime.device-guard", "a guard returns to the device of its latest entry"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  use_all_devices(draw_device(c));
  const int device = draw_device(c);
  const Guard guard = require(runtime.device_guard(integer(device)), "device_guard");
  for (auto entries = c.draw.between(1, 3); entries > 0; --entries) {
    const int former = draw_device(c);
    change_device(c, runtime, former);
    within(runtime, guard, [&] { expect_current(runtime, device, "in the guard"); });
    expect_current(runtime, former, "after a guard that was made earlier");
  }
}

DLCERT_CHECK(
    guard_as_first_use_needs_one_context,
    on_both_vendors(in_fresh_process("runtime.device-guard",
                                     "a guard as the first use touches its own device alone"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = 1 + static_cast<int>(c.draw.below(device_count - 1));
  const Guard guard = require(runtime.device_guard(draw_name_of(c, device)), "device_guard");
  within(runtime, guard, [&] {
    for (const int used : driver::simulated_driver().devices_in_use())
      expect(used == device, "contexts in a guard for device {}: found one on device {}", device,
             used);
    expect_current(runtime, device, "in the guard");
  });
  // Whether the return to device 0 makes a context there is the library's business.
  const std::vector<int> in_use = driver::simulated_driver().devices_in_use();
  const bool untouched = std::ranges::find(in_use, 0) == in_use.end();
  c.observe(untouched ? "no context on the former device" : "a context on the former device");
  expect_equal("current device after the guard", std::int64_t{0},
               require(runtime.current_device_index(), "current_device_index"));
}

// ---- guards that do nothing ---------------------------------------------------------------------

// The device that is current after a guard belongs to runtime.device-guard too.
void expect_restored(const GpuRuntime& runtime, int device, std::string_view when) {
  owned_by("runtime.device-guard", [&] { expect_current(runtime, device, when); });
}

DLCERT_CHECK(
    guard_of_no_device_changes_nothing,
    on_both_vendors(in_fresh_process("runtime.device-guard-noop",
                                     "a guard of None or a negative index changes nothing"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = draw_device(c);
  use_all_devices(device);
  const dlcert_value argument = c.draw.flip() ? none() : integer(-c.draw.between(1, 100));
  const Guard guard = require(runtime.device_guard(argument), "device_guard");
  within(runtime, guard, [&] { expect_current(runtime, device, "in a guard of no device"); });
  expect_restored(runtime, device, "after a guard of no device");
}

DLCERT_CHECK(
    guard_of_a_host_object_changes_nothing,
    on_both_vendors(in_fresh_process("runtime.device-guard-noop",
                                     "a guard of an object on the host changes nothing"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = 1 + static_cast<int>(c.draw.below(device_count - 1));
  use_all_devices(device);
  const Guard guard = require(runtime.device_of_guard(pair(1, 0)), "device_of_guard");
  within(runtime, guard, [&] { expect_current(runtime, device, "in a guard of a host object"); });
  expect_restored(runtime, device, "after a guard of a host object");
}

DLCERT_CHECK(guard_of_an_object_uses_its_device,
             on_both_vendors(in_fresh_process("runtime.device-guard-noop",
                                              "a guard of an object on a GPU uses its device"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int former = draw_device(c);
  use_all_devices(former);
  const int device = draw_other_device(c, former);
  const Guard guard = require(runtime.device_of_guard(draw_name_of(c, device)), "device_of_guard");
  within(runtime, guard, [&] { expect_current(runtime, device, "in a guard of its object"); });
  expect_restored(runtime, former, "after a guard of an object");
}

}  // namespace
}  // namespace dlcert::runtime
