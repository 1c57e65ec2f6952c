// SPDX-License-Identifier: Apache-2.0
//
// AMD SMI. Sources of names, layouts and codes: amdsmi.h and amd_smi.cc of ROCm 6.1 to 6.3 (library
// 24) and of library 26.5; the reference pages of amdsmi.h of ROCm 6.4 (25) to 7.1.1; the Python
// package amdsmi 6.0.2 to 7.0.2, whose amdsmi_wrapper.py describes the structures of each release;
// the changelog of ROCm 10.0 (27).
//
// What is read here lies at the beginning of each structure, in the same place in libraries 24 to
// 27. One structure differs: amdsmi_power_info_t begins with a 64-bit socket_power since library 25
// (ROCm 6.4). amdsmi_version_t differs too, but the number of the library always comes first: as
// `year` up to 25, as `major` since 26.

#pragma once

#include <atomic>

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
  /// The libraries whose structures are known.
  enum class Release : std::uint32_t { rocm_6_1 = 24, rocm_6_4, rocm_7_0, rocm_10_0 };
  struct Activity {
    std::uint32_t graphics;
    std::uint32_t memory_controller;
  };
  struct Power {
    std::uint32_t current;
    std::uint32_t average;
  };
  /// What amdsmi_get_lib_version says, which is asked once. Throws for a library whose structures
  /// are not known: a new number means that structures have changed.
  [[nodiscard]] virtual Release release();
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
  /// What `function` writes: the beginning of a structure, which is a `Head`.
  template <class Head, class... Arguments>
  [[nodiscard]] Head written(const char* function, Arguments... arguments);
  /// What `function` reports of a device, as `written`, of a library whose structures are known.
  template <class Head, class... Arguments>
  [[nodiscard]] Head report(const char* function, std::uint64_t index, Arguments... arguments);

  ManagementLibrary library_;
  std::atomic<std::uint32_t> release_ = 0;  // 0: not asked yet
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
