// SPDX-License-Identifier: Apache-2.0
//
// What differs from the rules of torch 2.4: later versions of PyTorch, and a reading of the rules
// that the register prefers.

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

}  // namespace dlcert::cuda
