// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

#include "dlcert/driver/select.hpp"

namespace dlcert::reference {

/// Throws unless a call of the driver succeeded: std::bad_alloc when there was no memory, else a
/// DeviceError that names the call.
void require(driver::Status status, const char* call);

/// Owns an event. Destroying one that is still waited for is allowed.
class OwnEvent {
 public:
  OwnEvent();
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;
  ~OwnEvent();

  [[nodiscard]] driver::Event get() const noexcept { return event_; }
  [[nodiscard]] driver::Event give_up() noexcept { return std::exchange(event_, {}); }

 private:
  driver::Event event_{};
};

/// Whether what the stream of the current device is given now is recorded instead of run.
[[nodiscard]] bool is_being_captured(driver::Stream stream);

/// Waits for the work of a stream that is not captured; captures of other streams survive.
void synchronize_stream(driver::Stream stream);

/// While one lives, another thread's or stream's capture in global mode does not forbid what this
/// thread does.
class RelaxedCaptureGuard {
 public:
  RelaxedCaptureGuard() noexcept;
  RelaxedCaptureGuard(const RelaxedCaptureGuard&) = delete;
  RelaxedCaptureGuard& operator=(const RelaxedCaptureGuard&) = delete;
  ~RelaxedCaptureGuard();

 private:
  driver::CaptureMode mode_ = driver::CaptureMode::relaxed;
};

}  // namespace dlcert::reference
