// SPDX-License-Identifier: Apache-2.0
//
// AMD SMI. Source of names, layouts and codes: amdsmi.h of ROCm 6.3 (library 24.7). Other releases
// have other layouts; what is read here lies at the beginning of each.

#pragma once

#include "dlcert/cuda/management.hpp"

namespace dlcert::cuda {

/// Answers as torch 2.4 asks: policy telemetry-rocm-units = torch-2.4.
class AmdSmi : public Management {
 public:
  explicit AmdSmi(std::string library = "libamd_smi.so");

  void initialize() override;
  [[nodiscard]] std::int64_t device_count() override;
  [[nodiscard]] std::vector<std::string> uuids() override;

  /// The memory in use.
  [[nodiscard]] Measurement memory_usage(std::uint64_t index) override;
  [[nodiscard]] Measurement utilization(std::uint64_t index) override;
  [[nodiscard]] Measurement temperature(std::uint64_t index) override;
  /// The power that the socket draws now, in watts.
  [[nodiscard]] Measurement power_draw(std::uint64_t index) override;
  [[nodiscard]] Measurement clock_rate(std::uint64_t index) override;

 protected:
  /// An amdsmi_processor_handle.
  using Device = void*;
  struct Activity {
    std::uint32_t graphics;
    std::uint32_t memory_controller;
  };
  struct Power {
    std::uint32_t current;
    std::uint32_t average;
  };
  [[nodiscard]] Device device(std::uint64_t index);
  [[nodiscard]] Activity activity(std::uint64_t index);
  [[nodiscard]] Power power(std::uint64_t index);
  /// An amdsmi_temperature_type_t: the junction.
  [[nodiscard]] virtual int temperature_sensor() const { return 1; }
  /// An amdsmi_clk_type_t: the graphics clock.
  [[nodiscard]] virtual int clock_type() const { return 0; }

 private:
  [[nodiscard]] std::vector<Device> devices();
  [[nodiscard]] std::string uuid(Device device);
  /// What `function` reports of a device: the beginning of a structure, which is a `Head`.
  template <class Head, class... Arguments>
  [[nodiscard]] Head report(const char* function, std::uint64_t index, Arguments... arguments);

  ManagementLibrary library_;
};

/// Answers as later versions of PyTorch ask: policy telemetry-rocm-units = current.
class CurrentAmdSmi : public AmdSmi {
 public:
  using AmdSmi::AmdSmi;

  /// The activity of the memory controller, in percent.
  [[nodiscard]] Measurement memory_usage(std::uint64_t index) override;
  /// In watts, whatever the documentation says: the average, else what is drawn now, else 0.
  [[nodiscard]] Measurement power_draw(std::uint64_t index) override;
};

}  // namespace dlcert::cuda
