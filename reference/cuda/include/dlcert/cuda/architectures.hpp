// SPDX-License-Identifier: Apache-2.0
//
// What code the library was compiled for, and whether the devices can run it. Source: torch 2.4,
// get_arch_list, get_gencode_flags, _extract_arch_version, _check_capability, _check_cubins,
// is_bf16_supported.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dlcert/cuda/build.hpp"
#include "dlcert/cuda/enumeration.hpp"
#include "dlcert/cuda/properties.hpp"

namespace dlcert::cuda {

/// The number of "sm_90a": 90. One trailing "a" does not count. Throws a ValueError for text that
/// is not a kind, an underscore and a number.
[[nodiscard]] int parse_architecture(std::string_view architecture);

/// Of one library instance.
class Architectures {
 public:
  /// Tells whether there is a GPU.
  using Available = std::function<bool()>;

  /// `properties` outlives it. Warnings go to `warn`.
  Architectures(Properties& properties, Available available, WarningSink warn);
  Architectures(const Architectures&) = delete;
  Architectures& operator=(const Architectures&) = delete;
  virtual ~Architectures();

  /// "sm_70", "compute_80": as the build says; empty without a GPU.
  [[nodiscard]] virtual std::vector<std::string> list() const;
  /// "-gencode compute=compute_70,code=sm_70 -gencode …", or empty. Throws as parse_architecture().
  [[nodiscard]] virtual std::string gencode_flags() const;

  /// Warns of every device that is older than the oldest architecture of the list, or than 3.5 when
  /// the list is empty. Nothing on ROCm.
  void check_capability();
  /// Warns of every device for whose major version no sm_ architecture is in the list. Nothing for
  /// an empty list and on ROCm.
  void check_cubins();

  /// Whether bfloat16 can be used on the current device: on ROCm; with CUDA 11 and capability 8 or
  /// newer; else, if emulation counts, when a trial succeeds. Initializes, unless on ROCm.
  [[nodiscard]] bool supports_bf16(bool including_emulation);

 protected:
  /// parse_architecture() here.
  [[nodiscard]] virtual int number_of(std::string_view architecture) const;
  [[nodiscard]] virtual bool is_too_old(int architecture) const;
  [[nodiscard]] virtual bool has_cubin_for(Capability capability) const;
  /// Allocates a tensor of one element on the device.
  [[nodiscard]] virtual bool try_bf16(std::int64_t device);
  [[nodiscard]] int oldest() const;
  /// The result of the device's latest trial, if it is kept.
  [[nodiscard]] virtual std::optional<bool> kept_trial(std::int64_t device);

 private:
  static constexpr std::size_t trials_kept = 16;

  [[nodiscard]] bool rocm() const noexcept;

  Properties& properties_;
  Available available_;
  WarningSink warn_;
  std::mutex mutex_;
  std::list<std::pair<std::int64_t, bool>> trials_;  // the latest used first
};

}  // namespace dlcert::cuda
