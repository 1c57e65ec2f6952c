// SPDX-License-Identifier: Apache-2.0
//
// What differs from the rules of torch 2.4: later versions of PyTorch, a reading of the rules that
// the register prefers, and the driver itself.

#pragma once

#include "dlcert/cuda/visible_devices.hpp"

namespace dlcert::cuda {

/// Policy visible-devices-sign-only = end: a sign without digits ends the list instead of raising.
/// `Rules` is any of the rules here.
template <class Rules>
class SignOnlyEnds : public Rules {
 public:
  using Rules::Rules;

 protected:
  [[nodiscard]] Element sign_without_digits(std::string_view element) const override {
    return {Element::Kind::end_of_list, element};
  }
};

/// PyTorch 2.5 (PR 129650): on ROCm, CUDA_VISIBLE_DEVICES governs where HIP_VISIBLE_DEVICES is
/// unset.
class HipFallsBackToCuda : public VisibleDeviceRules {
 public:
  using VisibleDeviceRules::VisibleDeviceRules;

  [[nodiscard]] const char* variable_name() const override;
};

/// PyTorch 2.6 (PR 142292), policy rocm-visible-variable = current: on ROCm, ROCR_VISIBLE_DEVICES
/// limits how many devices there are. Its elements are counted, not read. A RuntimeError where
/// HIP_VISIBLE_DEVICES has more of them.
class RocrComposition : public HipFallsBackToCuda {
 public:
  using HipFallsBackToCuda::HipFallsBackToCuda;

  [[nodiscard]] ParseResult visible_devices() const override;
};

/// What NVIDIA documents of its driver (CUDA C++ Programming Guide, CUDA_VISIBLE_DEVICES), which
/// reads the variable once, when it is initialized. `is_documented` tells where that is silent.
class DriverRules : public VisibleDeviceRules {
 public:
  /// `devices`: how many the machine has, which is what an unset variable stands for.
  explicit DriverRules(std::uint64_t devices, Environment environment = process_environment);

  /// Whether `value` has one documented meaning. Elsewhere what `parse` gives is a guess, and no
  /// verdict may follow from it before a device was asked.
  [[nodiscard]] bool is_documented(std::optional<std::string_view> value) const;

 protected:
  [[nodiscard]] VisibleDevices unset() const override;
  [[nodiscard]] bool is_blank(char character) const override;
  [[nodiscard]] Element sign_without_digits(std::string_view element) const override;
  [[nodiscard]] std::size_t most_digits() const override;

 private:
  [[nodiscard]] bool are_documented_ordinals(std::string_view value) const;
  [[nodiscard]] bool are_documented_identifiers(std::string_view value,
                                                std::string_view prefix) const;

  std::uint64_t devices_;
};

}  // namespace dlcert::cuda
