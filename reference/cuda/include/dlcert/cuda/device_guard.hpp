// SPDX-License-Identifier: Apache-2.0
//
// Blocks in which another device is current. Source: torch 2.4, torch.cuda.device, device_of.

#pragma once

#include <cstdint>
#include <vector>

#include "dlcert/cuda/device_argument.hpp"
#include "dlcert/cuda/device_selection.hpp"

namespace dlcert::cuda {

/// Python's `with torch.cuda.device(x)`: may be made in advance and entered more than once, also
/// within itself. Enter and exit in the same thread.
class DeviceContext {
 public:
  /// None means the device that is current now, which may initialize; a negative index is a block
  /// that changes nothing. Throws a ValueError for devices that are no GPUs. `selection` outlives
  /// the context.
  DeviceContext(DeviceSelection& selection, const DeviceArgument& device);
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;
  virtual ~DeviceContext();

  /// Makes the device current. Throws what DeviceSelection::exchange() does, and has then not been
  /// entered.
  virtual void enter();
  /// Makes the device current again that was so at the latest entry.
  virtual void exit();
  [[nodiscard]] std::int64_t index() const noexcept { return index_; }

 protected:
  [[nodiscard]] DeviceSelection& selection() const noexcept { return selection_; }

 private:
  DeviceSelection& selection_;
  std::int64_t index_;
  std::vector<std::int64_t> former_;  // of entries without exit
};

/// What device_of() is given: whether an object lies on a GPU, and on which.
struct Placement {
  bool on_gpu = false;
  std::int64_t device = -1;
};

/// A DeviceContext that is entered as long as it lives. A failure to return to the former device
/// is dropped.
class DeviceGuard {
 public:
  DeviceGuard(DeviceSelection& selection, const DeviceArgument& device)
      : context_{selection, device} {
    context_.enter();
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

 private:
  DeviceContext context_;
};

}  // namespace dlcert::cuda
