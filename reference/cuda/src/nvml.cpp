// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/nvml.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "management_calls.hpp"

namespace dlcert::cuda {
namespace {

constexpr int nvml_invalid_argument = 2;

const char* nvml_text(int code) {
  switch (code) {
    case 1:
      return "not initialized";
    case nvml_invalid_argument:
      return "invalid argument";
    case 3:
      return "not supported";
    case 4:
      return "no permission";
    case 6:
      return "not found";
    case 7:
      return "insufficient size";
    case 9:
      return "driver not loaded";
    case 12:
      return "library not found";
    case 13:
      return "function not found";
    case 15:
      return "GPU is lost";
    case 17:
      return "operating system error";
    case 18:
      return "driver and library versions differ";
    case 999:
      return "unknown error";
    default:
      return "an error that NVML's documentation does not list";
  }
}

void nvml_check(ManagementStep step, const char* function, int code) {
  if (code != 0)
    throw ManagementError(step, static_cast<std::uint32_t>(code),
                          fmt::format("{} failed with {}: {}", function, code, nvml_text(code)));
}

}  // namespace

Nvml::Nvml(std::string library) : library_{std::move(library)} {}

void Nvml::initialize() {
  library_.load();
  // ctypes looks functions up by the names given here: of this one, by that without a version.
  const int code = library_.function<int()>("nvmlInit")();
  nvml_check(ManagementStep::initialization, "nvmlInit", code);
}

std::int64_t Nvml::device_count() {
  constexpr const char* name = "nvmlDeviceGetCount_v2";
  unsigned count = 0;
  const int code = library_.function<int(unsigned*)>(name)(&count);
  nvml_check(ManagementStep::count, name, code);
  if (count > static_cast<unsigned>(std::numeric_limits<int>::max()))
    refuse_answer(ManagementStep::count, fmt::format("{} claims {} devices", name, count));
  return count;
}

std::vector<std::string> Nvml::uuids() {
  const std::int64_t count = device_count();
  if (count > most_devices_listed)
    refuse_answer(ManagementStep::count,
                  fmt::format("nvmlDeviceGetCount_v2 claims {} devices", count));
  std::vector<std::string> found;
  for (std::int64_t i = 0; i < count; ++i)
    found.push_back(uuid(device(static_cast<std::uint64_t>(i))));
  return found;
}

Nvml::Device Nvml::device(std::uint64_t index) {
  constexpr const char* name = "nvmlDeviceGetHandleByIndex_v2";
  if (index > std::numeric_limits<unsigned>::max())
    nvml_check(ManagementStep::handle, name, nvml_invalid_argument);
  Device found = nullptr;
  const int code =
      library_.function<int(unsigned, Device*)>(name)(static_cast<unsigned>(index), &found);
  nvml_check(ManagementStep::handle, name, code);
  return found;
}

std::string Nvml::uuid(Device device) {
  constexpr const char* name = "nvmlDeviceGetUUID";
  std::string buffer(uuid_buffer_bytes, '\0');
  const int code = library_.function<int(Device, char*, unsigned)>(name)(
      device, buffer.data(), static_cast<unsigned>(buffer.size()));
  nvml_check(ManagementStep::uuid, name, code);
  std::string text = uuid_text(buffer);
  require_ascii(name, text);
  return text;
}

std::string Nvml::uuid_text(const std::string& buffer) const {
  const std::size_t first = buffer.find_first_not_of('\0');
  if (first == std::string::npos) return {};
  return buffer.substr(first, buffer.find_last_not_of('\0') - first + 1);
}

template <class Value, class... Arguments>
Value Nvml::report(const char* function, std::uint64_t index, Arguments... arguments) {
  Value value{};
  const int code = library_.function<int(Device, Arguments..., Value*)>(function)(
      device(index), arguments..., &value);
  nvml_check(ManagementStep::measurement, function, code);
  return value;
}

Nvml::Utilization Nvml::utilization_rates(std::uint64_t index) {
  return report<Utilization>("nvmlDeviceGetUtilizationRates", index);
}

Measurement Nvml::memory_usage(std::uint64_t index) {
  return {utilization_rates(index).memory, Unit::percent};
}

Measurement Nvml::utilization(std::uint64_t index) {
  return {utilization_rates(index).gpu, Unit::percent};
}

Measurement Nvml::temperature(std::uint64_t index) {
  return {report<unsigned>("nvmlDeviceGetTemperature", index, temperature_sensor()),
          Unit::degrees_celsius};
}

Measurement Nvml::power_draw(std::uint64_t index) {
  return {report<unsigned>("nvmlDeviceGetPowerUsage", index), Unit::milliwatts};
}

Measurement Nvml::clock_rate(std::uint64_t index) {
  return {report<unsigned>("nvmlDeviceGetClockInfo", index, clock_type()), Unit::megahertz};
}

}  // namespace dlcert::cuda
