// SPDX-License-Identifier: Apache-2.0
//
// What the runtime says of its devices. Source: torch 2.4, get_device_properties, get_device_name,
// get_device_capability, can_device_access_peer.

#pragma once

#include <string>

#include "dlcert/cuda/device_argument.hpp"
#include "dlcert/cuda/device_selection.hpp"
#include "dlcert/driver/driver.hpp"

namespace dlcert::cuda {

struct Capability {
  int major = 0;
  int minor = 0;

  friend bool operator==(const Capability&, const Capability&) = default;
};

/// Of one library instance. Every function initializes. None means the current device. An index
/// below 0 or not below the number of devices is an AssertionError, a device that is no GPU a
/// ValueError.
class Properties {
 public:
  /// `devices` outlives it.
  explicit Properties(DeviceSelection& devices) : devices_{devices} {}
  Properties(const Properties&) = delete;
  Properties& operator=(const Properties&) = delete;
  virtual ~Properties();

  [[nodiscard]] virtual driver::DeviceProperties of(const DeviceArgument& device);
  [[nodiscard]] std::string name(const DeviceArgument& device);
  [[nodiscard]] Capability capability(const DeviceArgument& device);
  /// Whether `device` can reach memory of `peer`, for which None is a ValueError.
  [[nodiscard]] virtual bool can_access_peer(const DeviceArgument& device,
                                             const DeviceArgument& peer);

  [[nodiscard]] DeviceSelection& devices() const noexcept { return devices_; }

 private:
  DeviceSelection& devices_;
};

}  // namespace dlcert::cuda
