// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/properties.hpp"

#include "dlcert/cuda/runtime_status.hpp"
#include "dlcert/driver/select.hpp"

namespace dlcert::cuda {

Properties::~Properties() = default;

driver::DeviceProperties Properties::of(const DeviceArgument& device) {
  const std::int64_t index = devices_.existing(device);
  driver::DeviceProperties found;
  check(driver::driver().properties(static_cast<int>(index), found));
  return found;
}

std::string Properties::name(const DeviceArgument& device) {
  return of(device).name;
}

Capability Properties::capability(const DeviceArgument& device) {
  const driver::DeviceProperties found = of(device);
  return {found.major, found.minor};
}

bool Properties::can_access_peer(const DeviceArgument& device, const DeviceArgument& peer) {
  const auto from = static_cast<int>(devices_.existing(device));
  const auto to =
      static_cast<int>(devices_.existing(device_index(peer, MissingIndex::forbidden, {})));
  bool can = false;
  check(driver::driver().can_access_peer(from, to, can));
  return can;
}

}  // namespace dlcert::cuda
