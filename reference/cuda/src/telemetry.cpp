// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/telemetry.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "dlcert/cuda/errors.hpp"

namespace dlcert::cuda {
namespace {

constexpr std::uint32_t nvml_driver_not_loaded = 9;

// What the register has PyTorch chain to: the error of the import.
std::exception_ptr import_error(const char* module) {
  return std::make_exception_ptr(
      std::runtime_error(fmt::format("the import of {} failed", module)));
}

}  // namespace

Telemetry::Telemetry(const Build& build, Enumeration& enumeration, Management& management,
                     CurrentDevice current)
    : build_{build},
      enumeration_{enumeration},
      management_{management},
      current_{std::move(current)} {}

Telemetry::~Telemetry() = default;

void Telemetry::import_module() const {
  const char* const module = build_.vendor == driver::Vendor::rocm ? "amdsmi" : "pynvml";
  switch (build_.management_module) {
    case ManagementModule::present:
      return;
    case ManagementModule::missing:
      throw ModuleNotFoundError(fmt::format("{} is not installed", module));
    case ManagementModule::broken:
      throw ModuleNotFoundError(fmt::format("{} cannot be imported", module), import_error(module));
  }
}

void Telemetry::initialize() {
  try {
    management_.initialize();
  } catch (const ManagementError& error) {
    if (error.step() != ManagementStep::initialization) throw;
    if (build_.vendor == driver::Vendor::rocm)
      throw RuntimeError(
          fmt::format("amdsmi driver can't be loaded, requires >=ROCm5.6 installation: {}",
                      error.what()),
          std::current_exception());
    if (error.code() != nvml_driver_not_loaded) throw;
    throw RuntimeError("cuda driver can't be loaded, is cuda enabled?", std::current_exception());
  }
}

std::uint64_t Telemetry::index_of(const DeviceArgument& device) {
  return enumeration_.management_index(device_index(device, MissingIndex::means_current, current_));
}

std::uint64_t Telemetry::prepared(const DeviceArgument& device) {
  import_module();
  initialize();
  return index_of(device);
}

Measurement Telemetry::memory_usage(const DeviceArgument& device) {
  return management_.memory_usage(prepared(device));
}

Measurement Telemetry::utilization(const DeviceArgument& device) {
  return management_.utilization(prepared(device));
}

Measurement Telemetry::temperature(const DeviceArgument& device) {
  return management_.temperature(prepared(device));
}

Measurement Telemetry::power_draw(const DeviceArgument& device) {
  return management_.power_draw(prepared(device));
}

Measurement Telemetry::clock_rate(const DeviceArgument& device) {
  return management_.clock_rate(prepared(device));
}

}  // namespace dlcert::cuda
