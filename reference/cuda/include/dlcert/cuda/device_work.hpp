// SPDX-License-Identifier: Apache-2.0
//
// Functions for the work of a device as a whole. Source: torch 2.4, synchronize, ipc_collect,
// _sleep, current_blas_handle, set_sync_debug_mode.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <variant>

#include "dlcert/cuda/device_argument.hpp"
#include "dlcert/cuda/streams.hpp"

namespace dlcert::cuda {

/// Of one library instance. Every function initializes; what the driver refuses is a CudaError.
class DeviceWork {
 public:
  /// `streams` outlives it.
  explicit DeviceWork(Streams& streams) : streams_{streams} {}
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;
  virtual ~DeviceWork();

  /// Blocks until all work on all streams of the device has run. The current device stays.
  virtual void synchronize(const DeviceArgument& device);

  /// Gives back memory that another process got from this one and has released. This library hands
  /// none to other processes, so nothing is left to do.
  virtual void ipc_collect();

  /// Keeps the current stream busy for about so many cycles of a clock of 1 GHz, without blocking
  /// the host. Throws a RuntimeError for a negative number.
  virtual void sleep(std::int64_t cycles);

  /// The handle of the linear-algebra library for the calling thread, its current device and its
  /// current stream there: a number other than 0, always the same for these three.
  [[nodiscard]] virtual std::uintptr_t blas_handle();

  /// What the library does when it would block the host: 0 or "default" for nothing, 1 or "warn", 2
  /// or "error". Throws a RuntimeError for others. Kept and given back; this library never blocks
  /// the host on its own.
  virtual void set_sync_debug_mode(const std::variant<std::int64_t, std::string>& mode);
  [[nodiscard]] virtual int sync_debug_mode();

 private:
  void initialize() { streams_.devices().initialization().initialize(); }

  using BlasKey =
      std::tuple<std::uint64_t, std::int64_t, std::uintptr_t>;  // thread, device, stream

  Streams& streams_;
  std::atomic<int> sync_debug_mode_{0};
  std::mutex mutex_;
  std::map<BlasKey, char> blas_handles_;  // a handle is the address of its entry
};

}  // namespace dlcert::cuda
