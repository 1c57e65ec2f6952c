// SPDX-License-Identifier: Apache-2.0
//
// Which device is measured, and that a measurement changes no state of the runtime.
#include "registration.hpp"
#include "telemetry/machine.hpp"
#include "testbench/errors.hpp"

namespace dlcert::telemetry {

DLCERT_FAMILY(mapping)

namespace {

using testbench::touched_if;

constexpr int devices_at_most = 4;

// A machine of which some devices are visible, and one of those: where they are two and more, not
// the first, which is the current one anyway.
struct Scene {
  explicit Scene(Draw& draw, int at_least = 1)
      : machine{draw, static_cast<int>(draw.between(at_least, devices_at_most))},
        visible{machine.draw_visible(draw, at_least)},
        logical{
            draw.between(at_least - 1, static_cast<std::int64_t>(visible.physical.size()) - 1)} {}
  int physical_of(std::int64_t index) const {
    return visible.physical[static_cast<std::size_t>(index)];
  }

  Machine machine;
  VisibleList visible;
  std::int64_t logical;
};

void make_current(const Case& c, std::int64_t index) {
  if (index != 0) require(GpuRuntime{c.subject()}.set_device(integer(index)), "set_device");
}

// torch 2.4 on ROCm reports the memory of the current device, whichever is asked for.
bool tells_of_current_only(Quantity quantity) {
  return is_rocm() && quantity == Quantity::memory_usage;
}

DLCERT_CHECK(index_is_mapped,
             if_touched(on_both_vendors(
                 telemetry_check("telemetry.device.mapping",
                                 "a visible device is measured, not the device of that number")))) {
  const Scene scene{c.draw, 2};
  const Quantity quantity = c.draw.one_of(quantities);
  const std::string name = fmt::format("cuda:{}", scene.logical);
  const dlcert_value device = c.draw.flip() ? integer(scene.logical) : text(name.c_str());
  const ArrangedEnvironment arranged{c, scene.machine.with(scene.visible)};
  const dlcert_measurement found = require(ask(c, quantity, device), to_text(quantity));
  const Answer of_current = scene.machine.answer(c, quantity, scene.physical_of(0));
  if (scene.logical != 0 && tells_of_current_only(quantity) && found.value == of_current.value)
    return c.declined("memory_usage of the current device");
  const int physical = scene.physical_of(scene.logical);
  if (physical != scene.logical) c.touched();
  expect_answer(c, quantity, scene.machine.answer(c, quantity, physical), found);
}

DLCERT_CHECK(none_is_the_current_device,
             if_touched(on_both_vendors(telemetry_check("telemetry.device.mapping",
                                                        "no device means the current one")))) {
  const Scene scene{c.draw, 2};
  const Quantity quantity = c.draw.one_of(quantities);
  const dlcert_value device = c.draw.flip() ? none() : absent();
  const ArrangedEnvironment arranged{c, scene.machine.with(scene.visible)};
  if (scene.logical != 0) c.touched();
  make_current(c, scene.logical);
  const int physical = scene.physical_of(scene.logical);
  expect_answer(c, quantity, scene.machine.answer(c, quantity, physical),
                require(ask(c, quantity, device), to_text(quantity)));
}

// Which error it is has no rule, here and below.
DLCERT_CHECK(hidden_device_is_refused,
             if_touched(on_both_vendors(telemetry_check("telemetry.device.mapping",
                                                        "a device that is hidden is refused")))) {
  const Scene scene{c.draw};
  if (!scene.visible.value) throw Discard{};
  Quantity quantity = c.draw.one_of(quantities);
  if (tells_of_current_only(quantity)) quantity = Quantity::temperature;
  const auto visible = static_cast<std::int64_t>(scene.visible.physical.size());
  const std::int64_t index = c.draw.flip() ? visible + c.draw.between(0, 3) : -c.draw.between(1, 3);
  const ArrangedEnvironment arranged{c, scene.machine.with(scene.visible)};
  expect_error(c, quantity, integer(index),
               fmt::format("of device {} of {}", index, *scene.visible.value));
  touched_if(c, ask(c, quantity, integer(scene.logical)).ok(), "a visible device is refused too");
}

// Visible lists without a device for `index`.
struct Nothing {
  std::string_view visible;
  std::int64_t index;
};
constexpr std::array nothings{Nothing{"", 0},  Nothing{"0,0", 0}, Nothing{"-1", 0},
                              Nothing{"5", 0}, Nothing{"1,5", 1}, Nothing{"1,-1,0", 1}};

DLCERT_CHECK(nothing_is_told_of_no_device,
             if_touched(on_both_vendors(telemetry_check("telemetry.device.mapping",
                                                        "nothing is told of no device",
                                                        nothings.size() * quantities.size())))) {
  const auto [visible, index] = nothings[c.row / quantities.size()];
  Quantity quantity = quantities[c.row % quantities.size()];
  if (tells_of_current_only(quantity)) quantity = Quantity::temperature;
  touched_if_measured(c, quantity);
  const Machine machine{c.draw, 2};
  const ArrangedEnvironment arranged{c, machine.with({std::string{visible}, {0}})};
  expect_error(c, quantity, integer(index), fmt::format("of device {} of {:?}", index, visible));
}

// ---- what else must not come of it --------------------------------------------------------------

DLCERT_CHECK(
    current_device_and_stream_stay,
    on_both_vendors(also_needing(telemetry_check("telemetry.no-runtime-state-change",
                                                 "the current device and stream stay as they are"),
                                 Can::runtime))) {
  const Scene scene{c.draw};
  const Quantity quantity = c.draw.one_of(quantities);
  const std::int64_t current =
      c.draw.between(0, static_cast<std::int64_t>(scene.visible.physical.size()) - 1);
  const dlcert_value device = c.draw.flip() ? integer(scene.logical) : none();
  const ArrangedEnvironment arranged{c, scene.machine.with(scene.visible)};
  const GpuRuntime runtime{c.subject()};
  make_current(c, current);
  const dlcert_runtime_stream stream = require(runtime.new_stream(integer(current)), "new_stream");
  require(runtime.set_stream(&stream), "set_stream");
  require(ask(c, quantity, device), to_text(quantity));
  expect_equal("current device", current,
               require(runtime.current_device_index(), "current_device_index"));
  const dlcert_runtime_stream now = require(runtime.current_stream_of(none()), "current_stream_of");
  expect(now == stream, "current stream: expected {} but found {}", dlcert::to_text(stream),
         dlcert::to_text(now));
}

// torch 2.4 asks for the current device first where it makes a handle for it.
bool may_ask_the_runtime(Quantity quantity) {
  return quantity == Quantity::memory_usage || (is_rocm() && quantity == Quantity::utilization);
}

DLCERT_CHECK(named_device_needs_no_runtime,
             on_both_vendors(telemetry_check("telemetry.no-runtime-state-change",
                                             "a named device is measured without the runtime"))) {
  const Scene scene{c.draw};
  Quantity quantity = c.draw.one_of(quantities);
  if (may_ask_the_runtime(quantity)) quantity = Quantity::temperature;
  ArrangedEnvironment arranged{c, scene.machine.with(scene.visible)};
  require(ask(c, quantity, integer(scene.logical)), to_text(quantity));
  const std::vector<driver::Call> calls = arranged.runtime_calls();
  expect(calls.empty(), "calls of the runtime for {} of device {}: expected none but found {}",
         to_text(quantity), scene.logical, calls.empty() ? "" : calls.front().function);
}

}  // namespace
}  // namespace dlcert::telemetry
