// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "dlcert/driver/select.hpp"

namespace dlcert::reference {

/// Throws unless a call of the driver succeeded: std::bad_alloc when there was no memory, else a
/// DeviceError that names the call.
void require(driver::Status status, const char* call);

/// While one lives, another thread's or stream's capture in global mode does not forbid what this
/// thread does.
class RelaxedCapture {
 public:
  RelaxedCapture() noexcept;
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture();

 private:
  driver::CaptureMode mode_ = driver::CaptureMode::relaxed;
};

}  // namespace dlcert::reference
