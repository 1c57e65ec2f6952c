// SPDX-License-Identifier: Apache-2.0
//
// What GPU classes have in common: they start the runtime when an object is made, and work on the
// object's own device. Source: torch 2.4, _lazy_new, _CudaBase.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "dlcert/cuda/device_guard.hpp"
#include "dlcert/cuda/device_selection.hpp"

namespace dlcert::cuda {

/// Elements in the memory of one device. Not thread-safe.
class GpuObject {
 public:
  /// Initializes, and takes memory for `elements` elements on the current device; their values are
  /// not set. `dtype` is that of a legacy storage class (storage_classes()), else a TypeError.
  /// Throws std::bad_alloc without room, and a CudaError. `devices` outlives it.
  GpuObject(DeviceSelection& devices, std::string_view dtype, std::size_t elements);
  GpuObject(const GpuObject&) = delete;
  GpuObject& operator=(const GpuObject&) = delete;
  virtual ~GpuObject();

  static constexpr bool is_cuda = true;
  static constexpr bool is_sparse = false;
  [[nodiscard]] std::int64_t device() const noexcept { return device_; }
  [[nodiscard]] std::string_view dtype() const noexcept;
  [[nodiscard]] std::size_t elements() const noexcept { return elements_; }
  /// For the device; NULL without elements.
  [[nodiscard]] void* memory() const noexcept { return memory_; }

  /// The same values in another type, rounded to the nearest, on this object's device. The current
  /// device stays. The host waits.
  [[nodiscard]] virtual std::unique_ptr<GpuObject> type(std::string_view dtype) const;

 protected:
  [[nodiscard]] std::unique_ptr<GpuObject> converted(std::string_view dtype) const;
  [[nodiscard]] DeviceSelection& devices() const noexcept { return devices_; }

 private:
  DeviceSelection& devices_;
  std::size_t dtype_;  // which of the known ones
  std::size_t elements_;
  std::int64_t device_;
  void* memory_ = nullptr;
};

}  // namespace dlcert::cuda
