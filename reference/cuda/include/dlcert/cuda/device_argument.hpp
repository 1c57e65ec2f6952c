// SPDX-License-Identifier: Apache-2.0
//
// The device arguments of the functions of torch.cuda, and the index that each means
// (torch.cuda._utils._get_device_index).

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace dlcert::cuda {

/// A torch.device: "cuda:1" is {"cuda", 1}, "cuda" has no index.
struct Device {
  std::string type;
  std::optional<int> index{};

  friend bool operator==(const Device&, const Device&) = default;
};

/// "cuda:1" of {"cuda", 1}.
[[nodiscard]] std::string to_text(const Device& device);

/// What torch.device(text) gives. Throws RuntimeError unless the text is a device type that PyTorch
/// knows, alone or followed by a colon and an index without sign, leading zeros or anything more.
[[nodiscard]] Device parse_device(std::string_view text);

/// None, an index, a text for `parse_device`, or a device (a guard is given as its device).
using DeviceArgument = std::variant<std::monostate, std::int64_t, std::string, Device>;

/// Gives the index of the current device; may throw, and may initialize the runtime.
using CurrentDevice = std::function<std::int64_t()>;

enum class MissingIndex : unsigned char {
  forbidden,
  means_current,  ///< torch's optional=True
};

/// The index that is meant. Indices are not checked against the devices there are. Throws
/// ValueError for devices that are no GPUs and for a missing index where it is forbidden, and what
/// `parse_device` and `current` throw; calls `current` only where the index is missing.
[[nodiscard]] std::int64_t device_index(const DeviceArgument& argument, MissingIndex missing,
                                        const CurrentDevice& current);

}  // namespace dlcert::cuda
