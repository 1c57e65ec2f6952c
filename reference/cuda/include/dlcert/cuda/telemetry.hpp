// SPDX-License-Identifier: Apache-2.0
//
// What torch.cuda's telemetry functions answer, through the management library. Values are averages
// over a period of 1/6 s to 1 s that depends on the product, but for the temperature and what ROCm
// tells of memory and power.

#pragma once

#include "dlcert/cuda/build.hpp"
#include "dlcert/cuda/device_argument.hpp"
#include "dlcert/cuda/enumeration.hpp"
#include "dlcert/cuda/management.hpp"

namespace dlcert::cuda {

/// Each virtual function is a step. The device is a logical one; None is the current one, for which
/// the runtime is asked. Every query throws ModuleNotFoundError where pynvml or amdsmi is missing,
/// ValueError, RuntimeError or IndexError for a device that is none or not visible, and
/// RuntimeError (with the ManagementError as its cause, or that itself) where the management
/// library fails.
class Telemetry {
 public:
  /// The parts outlive it.
  Telemetry(const Build& build, Enumeration& enumeration, Management& management,
            CurrentDevice current);
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;
  virtual ~Telemetry();

  /// NVIDIA: how much of the period memory was read or written, in percent. ROCm, by policy
  /// telemetry-rocm-units: the memory in use, or the activity of its controller in percent.
  [[nodiscard]] virtual Measurement memory_usage(const DeviceArgument& device);
  /// How much of the period a kernel ran, in percent.
  [[nodiscard]] virtual Measurement utilization(const DeviceArgument& device);
  /// Of the die (ROCm: the junction), now, in degrees Celsius.
  [[nodiscard]] virtual Measurement temperature(const DeviceArgument& device);
  /// NVIDIA: in milliwatts. ROCm: in watts, by policy telemetry-rocm-units current or average.
  [[nodiscard]] virtual Measurement power_draw(const DeviceArgument& device);
  /// Of the multiprocessors (ROCm: of graphics), in megahertz, which is policy
  /// telemetry-clock-unit.
  [[nodiscard]] virtual Measurement clock_rate(const DeviceArgument& device);

 protected:
  /// What Python's import of the module does.
  virtual void import_module() const;
  virtual void initialize();
  /// The management library's index of the device.
  [[nodiscard]] virtual std::uint64_t index_of(const DeviceArgument& device);

 private:
  /// Gets everything ready for a query.
  [[nodiscard]] std::uint64_t prepared(const DeviceArgument& device);

  const Build& build_;
  Enumeration& enumeration_;
  Management& management_;
  CurrentDevice current_;
};

}  // namespace dlcert::cuda
