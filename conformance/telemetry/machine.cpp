// SPDX-License-Identifier: Apache-2.0
#include "telemetry/machine.hpp"

#include <algorithm>

#include <dlcert/suite/trace.hpp>

#include "generators/visible_devices.hpp"
#include "testbench/errors.hpp"

namespace dlcert::telemetry {

namespace {

using testbench::visible_variable;

constexpr std::string_view uuid_prefix = "GPU-";

std::string_view unit_name(std::int32_t unit) {
  constexpr std::array names{"",           "percent", "mebibytes", "degrees Celsius",
                             "milliwatts", "watts",   "megahertz", "hertz"};
  return unit > 0 && unit < static_cast<std::int32_t>(names.size())
             ? names[static_cast<std::size_t>(unit)]
             : "of an unknown unit";
}

}  // namespace

std::string_view to_text(Quantity quantity) {
  constexpr std::array names{"memory_usage", "utilization", "temperature", "power_draw",
                             "clock_rate"};
  return names[static_cast<std::size_t>(quantity)];
}

Outcome<dlcert_measurement> ask(const Case& c, Quantity quantity, const dlcert_value& device) {
  using Function = Outcome<dlcert_measurement> (GpuTelemetry::*)(const dlcert_value&) const;
  constexpr std::array<Function, quantities.size()> functions{
      &GpuTelemetry::memory_usage, &GpuTelemetry::utilization, &GpuTelemetry::temperature,
      &GpuTelemetry::power_draw, &GpuTelemetry::clock_rate};
  const GpuTelemetry telemetry{c.subject()};
  return (telemetry.*functions[static_cast<std::size_t>(quantity)])(device);
}

Machine::Machine(Draw& draw, int devices)
    : uuids_{draw_uuids(draw, static_cast<std::size_t>(devices))} {
  for (int device = 0; device < devices; ++device)
    sensors_.push_back(draw_sensors(draw, device));
}

// No two devices, and no two quantities of a device, have a value in common.
Machine::Sensors Machine::draw_sensors(Draw& draw, int device) {
  const auto between = [&](std::int64_t low, std::int64_t width) {
    return low + device * width + draw.between(0, width - 1);
  };
  Sensors made;
  made.kernels = between(50, 10);
  made.memory = between(1, 4);
  made.temperature = between(20, 7);
  made.power = between(100, 50) * (is_rocm() ? 1 : 1000);
  made.average_power = between(500, 50);
  made.graphics_clock = between(1000, 100);
  made.multiprocessor_clock = between(1500, 100);
  made.memory_clock = between(5000, 100);
  made.video_clock = between(7000, 100);
  made.memory_used = between(2048, 512);
  return made;
}

std::string Machine::settings() const {
  std::string text = fmt::format("devices={}", devices());
  for (int device = 0; device < devices(); ++device) {
    const Sensors& own = sensors_[static_cast<std::size_t>(device)];
    const auto set = [&, device](std::string_view name, auto value) {
      text += fmt::format(";device.{}.{}={}", device, name, value);
    };
    const std::string& uuid = uuids_[static_cast<std::size_t>(device)];
    set("uuid", is_rocm() ? uuid.substr(uuid_prefix.size()) : uuid);
    set("utilization.gpu", own.kernels);
    set("utilization.memory", own.memory);
    set("temperature", own.temperature);
    set("power", own.power);
    if (is_rocm()) set("power.average", own.average_power);
    set("clock.graphics", own.graphics_clock);
    set("clock.sm", own.multiprocessor_clock);
    set("clock.memory", own.memory_clock);
    set("clock.video", own.video_clock);
    set("memory.used", own.memory_used << 20);
  }
  return text;
}

VisibleList Machine::draw_visible(Draw& draw, int at_least) const {
  if (draw.rarely(4)) {
    VisibleList all;
    for (int device = 0; device < devices(); ++device)
      all.physical.push_back(device);
    return all;
  }
  const bool by_identifier = !is_rocm() && draw.flip();
  VisibleEntries entries = draw_ordinal_list(draw, devices(), at_least);
  VisibleList list;
  for (std::string& entry : entries) {
    const int device = std::stoi(entry);
    list.physical.push_back(device);
    if (by_identifier) entry = identifier_of(device);
  }
  list.value = visible_value(entries);
  return list;
}

// The shortest prefix of the UUID that is unique.
std::string Machine::identifier_of(int device) const {
  const auto index = static_cast<std::size_t>(device);
  const std::string& uuid = uuids_[index];
  const std::size_t shortest = unique_prefix_length(uuids_, index).value_or(uuid.size());
  return uuid.substr(0, std::max(shortest, uuid_prefix.size()));
}

Environment Machine::with(const VisibleList& visible) const {
  return {.variables = {{visible_variable(), visible.value}},
          .management_settings = settings(),
          .devices = static_cast<int>(visible.physical.size())};
}

Environment Machine::with_all_visible() const {
  return {.management_settings = settings(), .devices = devices()};
}

Answer Machine::answer(const Case& c, Quantity quantity, int physical) const {
  const Sensors& own = sensors_[static_cast<std::size_t>(physical)];
  const bool rocm = is_rocm();
  const bool as_torch_2_4 = c.settings.policy("telemetry-rocm-units") == "torch-2.4";
  switch (quantity) {
    case Quantity::memory_usage:
      if (rocm && as_torch_2_4) return {own.memory_used, DLCERT_UNIT_MEBIBYTES, true};
      return {own.memory, DLCERT_UNIT_PERCENT};
    case Quantity::utilization:
      return {own.kernels, DLCERT_UNIT_PERCENT};
    case Quantity::temperature:
      return {own.temperature, DLCERT_UNIT_DEGREES_CELSIUS};
    case Quantity::power_draw:
      if (!rocm) return {own.power, DLCERT_UNIT_MILLIWATTS};
      return {as_torch_2_4 ? own.power : own.average_power, DLCERT_UNIT_WATTS, true};
    case Quantity::clock_rate:
      break;
  }
  const std::int64_t megahertz = rocm ? own.graphics_clock : own.multiprocessor_clock;
  if (c.settings.policy("telemetry-clock-unit") == "hertz")
    return {megahertz * 1'000'000, DLCERT_UNIT_HERTZ, true};
  return {megahertz, DLCERT_UNIT_MEGAHERTZ, true};
}

void expect_answer(Case& c, Quantity quantity, const Answer& expected,
                   const dlcert_measurement& found) {
  expect_equal(to_text(quantity), expected.value, found.value);
  if (found.unit == expected.unit || found.unit == DLCERT_UNIT_NOT_TOLD) return;
  if (expected.unit_is_contested) return c.observe("told in another unit than it is");
  fail_equal(fmt::format("unit of {}", to_text(quantity)), std::string{unit_name(expected.unit)},
             std::string{unit_name(found.unit)});
}

Error expect_error(const Case& c, Quantity quantity, const dlcert_value& device,
                   std::string_view why) {
  Outcome<dlcert_measurement> outcome = ask(c, quantity, device);
  if (outcome.ok())
    fail(fmt::format("{} {}: expected an error but found {}", to_text(quantity), why,
                     outcome.value().value));
  return outcome.error();
}

void touched_if_measured(Case& c, Quantity quantity) {
  const TracePause pause;
  const auto end = testbench::in_forked_child([&] {
    const ArrangedEnvironment arranged{c, {}};
    return std::string{ask(c, quantity, integer(0)).ok() ? "measured" : "refused"};
  });
  testbench::touched_if(c, end.answer == "measured",
                        "nothing is measured without the fault either");
}

Check telemetry_check(std::string_view requirement, std::string_view sentence, std::size_t rows) {
  return {.requirement = requirement,
          .sentence = sentence,
          .role = Role::runtime,
          .needs = static_cast<Needs>(Can::telemetry),
          .rows = rows,
          .isolation = Isolation::process_per_case};
}

}  // namespace dlcert::telemetry
