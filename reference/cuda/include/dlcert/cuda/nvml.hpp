// SPDX-License-Identifier: Apache-2.0
//
// NVML, by the functions that PyTorch's ctypes path and pynvml call. Source of names, types and
// codes: NVIDIA's NVML API reference.

#pragma once

#include "dlcert/cuda/management.hpp"

namespace dlcert::cuda {

class Nvml : public Management {
 public:
  explicit Nvml(std::string library = "libnvidia-ml.so.1");

  void initialize() override;
  [[nodiscard]] std::int64_t device_count() override;
  [[nodiscard]] std::vector<std::string> uuids() override;

  [[nodiscard]] Measurement memory_usage(std::uint64_t index) override;
  [[nodiscard]] Measurement utilization(std::uint64_t index) override;
  [[nodiscard]] Measurement temperature(std::uint64_t index) override;
  [[nodiscard]] Measurement power_draw(std::uint64_t index) override;
  [[nodiscard]] Measurement clock_rate(std::uint64_t index) override;

 protected:
  /// An nvmlDevice_t.
  using Device = void*;
  struct Utilization {
    unsigned gpu;
    unsigned memory;
  };

  [[nodiscard]] Device device(std::uint64_t index);
  /// The text in a buffer that was zero before the library wrote to it.
  [[nodiscard]] virtual std::string uuid_text(const std::string& buffer) const;
  [[nodiscard]] Utilization utilization_rates(std::uint64_t index);
  /// An nvmlTemperatureSensors_t: that of the GPU's die.
  [[nodiscard]] virtual int temperature_sensor() const { return 0; }
  /// An nvmlClockType_t: that of the streaming multiprocessors.
  [[nodiscard]] virtual int clock_type() const { return 1; }

 private:
  [[nodiscard]] std::string uuid(Device device);
  /// What `function` reports of a device.
  template <class Value, class... Arguments>
  [[nodiscard]] Value report(const char* function, std::uint64_t index, Arguments... arguments);

  ManagementLibrary library_;
};

}  // namespace dlcert::cuda
