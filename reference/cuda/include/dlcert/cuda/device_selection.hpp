// SPDX-License-Identifier: Apache-2.0
//
// The device that is current in the calling thread, and its change. Source: torch 2.4,
// current_device, set_device, _exchange_device, _maybe_exchange_device.

#pragma once

#include <cstdint>

#include "dlcert/cuda/device_argument.hpp"
#include "dlcert/cuda/enumeration.hpp"
#include "dlcert/cuda/lazy_initialization.hpp"

namespace dlcert::cuda {

/// Of one library instance. What the driver refuses is a CudaError; functions that initialize throw
/// what LazyInitialization::initialize() does.
class DeviceSelection {
 public:
  /// Both outlive it.
  DeviceSelection(LazyInitialization& initialization, Enumeration& enumeration)
      : initialization_{initialization}, enumeration_{enumeration} {}
  DeviceSelection(const DeviceSelection&) = delete;
  DeviceSelection& operator=(const DeviceSelection&) = delete;
  virtual ~DeviceSelection();

  /// Enumeration::is_available(): initializes nothing.
  [[nodiscard]] virtual bool available() const;
  /// Enumeration::device_count(), which the ranges of device arguments follow, whatever the runtime
  /// has. Initializes.
  [[nodiscard]] virtual std::int64_t count() const;
  /// The devices of the runtime. Initializes.
  [[nodiscard]] std::int64_t runtime_count() const;
  /// Initializes. Follows other users of the runtime.
  [[nodiscard]] virtual std::int64_t current();
  /// Makes the device current and gives the former one. A negative index changes nothing, gives -1
  /// and initializes nothing; another one is a RuntimeError in a build without GPUs.
  virtual std::int64_t exchange(std::int64_t index);
  /// As exchange(), but a device that has no context yet becomes the driver's current one when it
  /// is used, so that none gets a context only because a guard returned to it.
  virtual std::int64_t maybe_exchange(std::int64_t index);
  /// Nothing for a negative index, ahead of everything else. Throws a ValueError for None, for a
  /// device without index and for devices that are no GPUs.
  virtual void set(const DeviceArgument& device);

  /// The index that is meant; None and a missing index mean the current device.
  [[nodiscard]] std::int64_t index_of(const DeviceArgument& device);
  /// As index_of(), for a device that count() includes: an AssertionError for other indices.
  [[nodiscard]] virtual std::int64_t existing(const DeviceArgument& device);

  [[nodiscard]] LazyInitialization& initialization() const noexcept { return initialization_; }

 protected:
  /// Makes the device the driver's current one.
  virtual void switch_to(std::int64_t index);
  [[nodiscard]] virtual bool has_context(std::int64_t index) const;
  void refuse_without_gpu(std::int64_t index) const;

 private:
  LazyInitialization& initialization_;
  Enumeration& enumeration_;
};

}  // namespace dlcert::cuda
