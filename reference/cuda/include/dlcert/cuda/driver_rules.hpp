// SPDX-License-Identifier: Apache-2.0
//
// How a driver reads the visible list, as far as its vendor says. No library reads it so: this is
// what the libraries' readings can be held against.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dlcert/cuda/visible_devices.hpp"

namespace dlcert::cuda {

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
