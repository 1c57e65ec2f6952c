// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/device_selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dlcert/cuda/errors.hpp"
#include "dlcert/cuda/runtime_status.hpp"
#include "dlcert/driver/select.hpp"

namespace dlcert::cuda {
namespace {

// The device to be current when it is used, as long as the driver stays where it was left.
struct Postponed {
  std::int64_t index = -1;
  int left_at = -1;
};

thread_local Postponed postponed;

int driver_device() {
  int device = 0;
  check(driver::driver().current_device(device));
  return device;
}

// The driver's number, or one that no driver takes.
int driver_index(std::int64_t index) {
  constexpr std::int64_t none = 0xFFFF;
  return static_cast<int>(std::min(index, none));
}

}  // namespace

DeviceSelection::~DeviceSelection() = default;

bool DeviceSelection::available() const {
  return enumeration_.is_available();
}

std::int64_t DeviceSelection::count() const {
  initialization_.initialize();
  return enumeration_.device_count();
}

std::int64_t DeviceSelection::runtime_count() const {
  initialization_.initialize();
  int count = 0;
  check(driver::driver().device_count(count));
  return count;
}

std::int64_t DeviceSelection::current() {
  initialization_.initialize();
  const int device = driver_device();
  if (postponed.left_at != device) postponed = {};
  return postponed.index >= 0 ? postponed.index : device;
}

std::int64_t DeviceSelection::exchange(std::int64_t index) {
  if (index < 0) return -1;
  refuse_without_gpu(index);
  const std::int64_t former = current();
  if (driver_device() == index)
    postponed = {};
  else
    switch_to(index);
  return former;
}

std::int64_t DeviceSelection::maybe_exchange(std::int64_t index) {
  if (index < 0) return -1;
  refuse_without_gpu(index);
  const std::int64_t former = current();
  if (index == former) return former;
  const int device = driver_device();
  if (has_context(index))
    switch_to(index);
  else
    postponed = {index, device};
  return former;
}

void DeviceSelection::set(const DeviceArgument& device) {
  const std::int64_t index = device_index(device, MissingIndex::forbidden, {});
  if (index < 0) return;
  initialization_.initialize();
  switch_to(index);
}

std::int64_t DeviceSelection::index_of(const DeviceArgument& device) {
  return device_index(device, MissingIndex::means_current, [this] { return current(); });
}

std::int64_t DeviceSelection::existing(const DeviceArgument& device) {
  initialization_.initialize();
  const std::int64_t index = index_of(device);
  const std::int64_t devices = count();
  if (index < 0 || index >= devices)
    throw AssertionError(
        fmt::format("expected a device from 0 to {} but found {}", devices - 1, index));
  return index;
}

void DeviceSelection::switch_to(std::int64_t index) {
  check(driver::driver().set_device(driver_index(index)));
  postponed = {};
}

bool DeviceSelection::has_context(std::int64_t index) const {
  bool has = false;
  check(driver::driver().has_context(driver_index(index), has));
  return has;
}

void DeviceSelection::refuse_without_gpu(std::int64_t index) const {
  if (!initialization_.build().gpu)
    throw RuntimeError(fmt::format(
        "cannot make device {} current: the library is not compiled with GPU support", index));
}

}  // namespace dlcert::cuda
