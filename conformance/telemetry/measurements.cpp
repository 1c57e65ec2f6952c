// SPDX-License-Identifier: Apache-2.0
//
// What is measured, and in which unit.
#include <algorithm>

#include "telemetry/families.hpp"
#include "telemetry/machine.hpp"
#include "testbench/platforms.hpp"

namespace dlcert::telemetry {

namespace {

using testbench::add_for_both;
using testbench::add_for_cuda;
using testbench::add_for_rocm;

// What the first of drawn devices must give, and gives.
template <Quantity quantity>
void first_device_is_measured(Case& c) {
  const Machine machine{c.draw, static_cast<int>(c.draw.between(1, 4))};
  const ArrangedEnvironment arranged{c, machine.with_all_visible()};
  expect_answer(c, quantity, machine.answer(c, quantity, 0),
                require(ask(c, quantity, integer(0)), to_text(quantity)));
}

// "nvmlDeviceGetTemperature(0, 0, out) = 0" asks the GPU's die, "amdsmi_get_temp_metric(0, 1, 0,
// out) = 0" the junction.
void temperature_sensor_is_asked(Case& c) {
  const Machine machine{c.draw, 1};
  const ArrangedEnvironment arranged{c, machine.with_all_visible()};
  require(ask(c, Quantity::temperature, integer(0)), "temperature");
  const std::string_view wanted = arranged.is_rocm() ? "amdsmi_get_temp_metric(0, 1, 0, out) = 0"
                                                     : "nvmlDeviceGetTemperature(0, 0, out) = 0";
  const std::vector<std::string> calls = arranged.management_calls();
  expect(std::ranges::find(calls, wanted) != calls.end(),
         "calls of the management library: expected {} but found none such", wanted);
}

struct Fault {
  Quantity quantity;
  std::string_view nvidia;  // the function that fails
  std::string_view amd;
};

constexpr std::array faults{
    Fault{Quantity::memory_usage, "nvmlDeviceGetUtilizationRates", "amdsmi_get_gpu_vram_usage"},
    Fault{Quantity::utilization, "nvmlDeviceGetUtilizationRates", "amdsmi_get_gpu_activity"},
    Fault{Quantity::temperature, "nvmlDeviceGetTemperature", "amdsmi_get_temp_metric"},
    Fault{Quantity::power_draw, "nvmlDeviceGetPowerUsage", "amdsmi_get_power_info"},
    Fault{Quantity::clock_rate, "nvmlDeviceGetClockInfo", "amdsmi_get_clock_info"}};

// Codes that are an error at every call, where a device does not answer.
constexpr std::array<std::int64_t, 4> nvidia_codes{3, 4, 15, 999};
constexpr std::array<std::int64_t, 4> amd_codes{2, 10, 31, 30};

// All that ROCm may ask for memory_usage fails, whatever the policy.
std::string failing(const Fault& fault, bool rocm, std::int64_t code) {
  std::string text = fmt::format(";fail={}:{}", rocm ? fault.amd : fault.nvidia, code);
  if (rocm && fault.quantity == Quantity::memory_usage)
    text += fmt::format(";fail=amdsmi_get_gpu_activity:{}", code);
  return text;
}

template <Quantity quantity>
void failing_sensor_is_an_error(Case& c) {
  const Machine machine{c.draw, static_cast<int>(c.draw.between(1, 2))};
  const std::int64_t code = (on_rocm() ? amd_codes : nvidia_codes)[c.row];
  Environment environment = machine.with_all_visible();
  environment.management_settings +=
      failing(faults[static_cast<std::size_t>(quantity)], on_rocm(), code);
  const ArrangedEnvironment arranged{c, environment};
  expect_error(c, quantity, integer(0), fmt::format("of a device that answers {}", code));
}

template <Quantity quantity>
void add_failing_sensor(Suite& suite, std::string_view requirement) {
  Check check = telemetry_check(requirement, "a device that does not answer is an error",
                                failing_sensor_is_an_error<quantity>);
  check.rows = nvidia_codes.size();
  add_for_both(suite, check);
}

Check sensor_check(std::string_view sentence) {
  Check check = telemetry_check("telemetry.temperature", sentence, temperature_sensor_is_asked);
  check.rows = 1;
  return check;
}

}  // namespace

void register_measurement_checks(Suite& suite) {
  add_for_cuda(suite,
               telemetry_check("telemetry.memory-usage",
                               "memory_usage is the percentage of time in which memory was used",
                               first_device_is_measured<Quantity::memory_usage>));
  add_for_rocm(suite, telemetry_check("telemetry.memory-usage",
                                      "memory_usage on ROCm is what the policy says",
                                      first_device_is_measured<Quantity::memory_usage>));
  add_for_both(suite, telemetry_check("telemetry.utilization",
                                      "utilization is the percentage of time in which a kernel ran",
                                      first_device_is_measured<Quantity::utilization>));
  add_for_both(suite, telemetry_check("telemetry.temperature",
                                      "temperature is the current one in degrees Celsius",
                                      first_device_is_measured<Quantity::temperature>));
  add_for_cuda(suite, sensor_check("the sensor of the die is asked"));
  add_for_rocm(suite, sensor_check("the sensor of the junction is asked"));
  add_for_cuda(suite, telemetry_check("telemetry.power-draw", "power_draw is in milliwatts",
                                      first_device_is_measured<Quantity::power_draw>));
  add_for_rocm(suite,
               telemetry_check("telemetry.power-draw",
                               "power_draw on ROCm is in watts, current or average by policy",
                               first_device_is_measured<Quantity::power_draw>));
  add_for_cuda(suite, telemetry_check("telemetry.clock-rate",
                                      "clock_rate is that of the streaming multiprocessors",
                                      first_device_is_measured<Quantity::clock_rate>));
  add_for_rocm(suite,
               telemetry_check("telemetry.clock-rate", "clock_rate on ROCm is that of graphics",
                               first_device_is_measured<Quantity::clock_rate>));
  add_failing_sensor<Quantity::memory_usage>(suite, "telemetry.memory-usage");
  add_failing_sensor<Quantity::utilization>(suite, "telemetry.utilization");
  add_failing_sensor<Quantity::temperature>(suite, "telemetry.temperature");
  add_failing_sensor<Quantity::power_draw>(suite, "telemetry.power-draw");
  add_failing_sensor<Quantity::clock_rate>(suite, "telemetry.clock-rate");
}

}  // namespace dlcert::telemetry
