// SPDX-License-Identifier: Apache-2.0
//
// A party's calls about telemetry.
#include <array>

#include <dlcert/suite/gpu_party.hpp>

#include "party/gpu_calls.hpp"

namespace dlcert {

std::string to_text(const dlcert_measurement& measurement) {
  constexpr std::array units{
      "of no told unit", "percent", "MiB", "degrees Celsius", "mW", "W", "MHz", "Hz"};
  const auto unit = static_cast<std::size_t>(measurement.unit);
  return fmt::format("{} {}", measurement.value,
                     unit < units.size() ? units[unit] : "of an unknown unit");
}

Outcome<dlcert_measurement> GpuTelemetry::memory_usage(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.memory_usage({})", label(), to_text(device))); }};
  dlcert_measurement out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::telemetry), act,
              &dlcert_telemetry_group::memory_usage, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return to_text(out); });
  return out;
}

Outcome<dlcert_measurement> GpuTelemetry::utilization(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.utilization({})", label(), to_text(device))); }};
  dlcert_measurement out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::telemetry), act,
              &dlcert_telemetry_group::utilization, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return to_text(out); });
  return out;
}

Outcome<dlcert_measurement> GpuTelemetry::temperature(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.temperature({})", label(), to_text(device))); }};
  dlcert_measurement out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::telemetry), act,
              &dlcert_telemetry_group::temperature, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return to_text(out); });
  return out;
}

Outcome<dlcert_measurement> GpuTelemetry::power_draw(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.power_draw({})", label(), to_text(device))); }};
  dlcert_measurement out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::telemetry), act,
              &dlcert_telemetry_group::power_draw, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return to_text(out); });
  return out;
}

Outcome<dlcert_measurement> GpuTelemetry::clock_rate(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.clock_rate({})", label(), to_text(device))); }};
  dlcert_measurement out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::telemetry), act,
              &dlcert_telemetry_group::clock_rate, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return to_text(out); });
  return out;
}

}  // namespace dlcert
