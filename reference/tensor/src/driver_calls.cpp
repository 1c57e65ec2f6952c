// SPDX-License-Identifier: Apache-2.0

#include "driver_calls.hpp"

#include <new>

#include "dlcert/tensor/errors.hpp"

#include "refuse.hpp"

namespace dlcert::reference {

void require(driver::Status status, const char* call) {
  if (status == driver::Status::success) [[likely]]
    return;
  if (status == driver::Status::out_of_memory) throw std::bad_alloc();
  const driver::Vendor vendor = driver::driver().vendor();
  throw DeviceError(static_cast<int>(status),
                    fmt::format("expected {} to succeed but found {} ({})", call,
                                driver::status_name(vendor, status), static_cast<int>(status)));
}

RelaxedCaptureGuard::RelaxedCaptureGuard() noexcept {
  static_cast<void>(driver::driver().exchange_capture_mode(mode_));
}

RelaxedCaptureGuard::~RelaxedCaptureGuard() {
  static_cast<void>(driver::driver().exchange_capture_mode(mode_));
}

void synchronize_stream(driver::Stream stream) {
  const RelaxedCaptureGuard relaxed;
  require(driver::driver().synchronize_stream(stream), "synchronize_stream");
}

OwnEvent::OwnEvent() {
  require(driver::driver().create_event(driver::EventTiming::disabled, event_), "create_event");
}

OwnEvent::~OwnEvent() {
  if (event_ != driver::Event{}) static_cast<void>(driver::driver().destroy_event(event_));
}

bool is_being_captured(driver::Stream stream) {
  driver::CaptureStatus status{};
  // While a blocking stream of the device is captured, the legacy stream may not even be asked.
  return driver::driver().capture_status(stream, status) != driver::Status::success ||
         status != driver::CaptureStatus::none;
}

}  // namespace dlcert::reference
