// SPDX-License-Identifier: Apache-2.0
//
// The quantities of telemetry: their values and units, and sensors that do not answer.
#include <algorithm>

#include "registration.hpp"
#include "telemetry/machine.hpp"

namespace dlcert::telemetry {

DLCERT_FAMILY(measurements)

namespace {

// What the first of drawn devices must give, and gives.
void expect_measured(Case& c, Quantity quantity) {
  const Machine machine{c.draw, static_cast<int>(c.draw.between(1, 4))};
  const ArrangedEnvironment arranged{c, machine.with_all_visible()};
  expect_answer(c, quantity, machine.answer(c, quantity, 0),
                require(ask(c, quantity, integer(0)), to_text(quantity)));
}

DLCERT_CHECK(
    memory_usage_is_measured,
    on_cuda(telemetry_check("telemetry.memory-usage",
                            "memory_usage is the percentage of time in which memory was used")),
    on_rocm(telemetry_check("telemetry.memory-usage",
                            "memory_usage on ROCm is what the policy says"))) {
  expect_measured(c, Quantity::memory_usage);
}

DLCERT_CHECK(utilization_is_measured,
             on_both_vendors(
                 telemetry_check("telemetry.utilization",
                                 "utilization is the percentage of time in which a kernel ran"))) {
  expect_measured(c, Quantity::utilization);
}

DLCERT_CHECK(temperature_is_measured,
             on_both_vendors(telemetry_check(
                 "telemetry.temperature", "temperature is the current one in degrees Celsius"))) {
  expect_measured(c, Quantity::temperature);
}

DLCERT_CHECK(
    power_draw_is_measured,
    on_cuda(telemetry_check("telemetry.power-draw", "power_draw is in milliwatts")),
    on_rocm(telemetry_check("telemetry.power-draw",
                            "power_draw on ROCm is in watts, current or average by policy"))) {
  expect_measured(c, Quantity::power_draw);
}

DLCERT_CHECK(clock_rate_is_measured,
             on_cuda(telemetry_check("telemetry.clock-rate",
                                     "clock_rate is that of the streaming multiprocessors")),
             on_rocm(telemetry_check("telemetry.clock-rate",
                                     "clock_rate on ROCm is that of graphics"))) {
  expect_measured(c, Quantity::clock_rate);
}

// "nvmlDeviceGetTemperature(0, 0, out) = 0" asks the GPU's die, "amdsmi_get_temp_metric(0, 1, 0,
// out) = 0" the junction.
DLCERT_CHECK(temperature_sensor_is_asked,
             on_cuda(telemetry_check("telemetry.temperature", "the sensor of the die is asked", 1)),
             on_rocm(telemetry_check("telemetry.temperature", "the sensor of the junction is asked",
                                     1))) {
  const Machine machine{c.draw, 1};
  const ArrangedEnvironment arranged{c, machine.with_all_visible()};
  require(ask(c, Quantity::temperature, integer(0)), "temperature");
  const std::string_view wanted = is_rocm() ? "amdsmi_get_temp_metric(0, 1, 0, out) = 0"
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

void expect_sensor_error(Case& c, Quantity quantity) {
  touched_if_measured(c, quantity);
  const Machine machine{c.draw, static_cast<int>(c.draw.between(1, 2))};
  const std::int64_t code = (is_rocm() ? amd_codes : nvidia_codes)[c.row];
  Environment environment = machine.with_all_visible();
  environment.management_settings +=
      failing(faults[static_cast<std::size_t>(quantity)], is_rocm(), code);
  const ArrangedEnvironment arranged{c, environment};
  expect_error(c, quantity, integer(0), fmt::format("of a device that answers {}", code));
}

// A head whose rows are the error codes.
std::vector<Check> error_check(std::string_view requirement) {
  return on_both_vendors(telemetry_check(requirement, "a device that does not answer is an error",
                                         nvidia_codes.size()));
}

DLCERT_CHECK(memory_usage_without_answer_is_an_error,
             if_touched(error_check("telemetry.memory-usage"))) {
  expect_sensor_error(c, Quantity::memory_usage);
}

DLCERT_CHECK(utilization_without_answer_is_an_error,
             if_touched(error_check("telemetry.utilization"))) {
  expect_sensor_error(c, Quantity::utilization);
}

DLCERT_CHECK(temperature_without_answer_is_an_error,
             if_touched(error_check("telemetry.temperature"))) {
  expect_sensor_error(c, Quantity::temperature);
}

DLCERT_CHECK(power_draw_without_answer_is_an_error,
             if_touched(error_check("telemetry.power-draw"))) {
  expect_sensor_error(c, Quantity::power_draw);
}

DLCERT_CHECK(clock_rate_without_answer_is_an_error,
             if_touched(error_check("telemetry.clock-rate"))) {
  expect_sensor_error(c, Quantity::clock_rate);
}

}  // namespace
}  // namespace dlcert::telemetry
