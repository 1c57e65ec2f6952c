// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/streams.hpp"

#include <new>
#include <vector>

#include "dlcert/tensor/errors.hpp"
#include "dlcert/tensor/uses.hpp"

#include "driver_calls.hpp"
#include "refuse.hpp"

namespace dlcert::reference {
namespace {

thread_local std::vector<Stream> current_streams;

/// Owns an event. Destroying one that is still waited for is allowed.
class OwnEvent {
 public:
  OwnEvent() {
    require(driver::driver().create_event(driver::EventTiming::disabled, event_), "create_event");
  }
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;
  ~OwnEvent() { static_cast<void>(driver::driver().destroy_event(event_)); }

  [[nodiscard]] driver::Event get() const noexcept { return event_; }
  [[nodiscard]] driver::Event give_up() noexcept { return std::exchange(event_, {}); }

 private:
  driver::Event event_{};
};

bool is_being_captured(Stream stream) {
  driver::CaptureStatus status{};
  // While a blocking stream of the device is captured, the legacy stream may not even be asked.
  return driver::driver().capture_status(stream, status) != driver::Status::success ||
         status != driver::CaptureStatus::none;
}

}  // namespace

void require(driver::Status status, const char* call) {
  if (status == driver::Status::success) [[likely]]
    return;
  if (status == driver::Status::out_of_memory) throw std::bad_alloc();
  const driver::Vendor vendor = driver::driver().vendor();
  throw DeviceError(static_cast<int>(status),
                    fmt::format("expected {} to succeed but found {} ({})", call,
                                driver::status_name(vendor, status), static_cast<int>(status)));
}

RelaxedCapture::RelaxedCapture() noexcept {
  static_cast<void>(driver::driver().exchange_capture_mode(mode_));
}

RelaxedCapture::~RelaxedCapture() {
  static_cast<void>(driver::driver().exchange_capture_mode(mode_));
}

DeviceGuard::DeviceGuard(int ordinal) {
  require(driver::driver().current_device(former_), "current_device");
  if (former_ == ordinal) return;
  require(driver::driver().set_device(ordinal), "set_device");
  changed_ = true;
}

DeviceGuard::~DeviceGuard() {
  if (changed_) static_cast<void>(driver::driver().set_device(former_));
}

Stream current_stream(int ordinal) noexcept {
  const auto index = static_cast<std::size_t>(ordinal);
  return index < current_streams.size() ? current_streams[index] : Stream::null;
}

StreamGuard::StreamGuard(int ordinal, Stream stream)
    : ordinal_(ordinal), former_(current_stream(ordinal)) {
  const auto index = static_cast<std::size_t>(ordinal);
  if (index >= current_streams.size()) current_streams.resize(index + 1, Stream::null);
  current_streams[index] = stream;
}

StreamGuard::~StreamGuard() {
  current_streams[static_cast<std::size_t>(ordinal_)] = former_;
}

void synchronize_device(int ordinal) {
  const DeviceGuard guard(ordinal);
  require(driver::driver().synchronize_device(), "synchronize_device");
}

void make_wait(int ordinal, Stream earlier, Stream later) {
  const DeviceGuard guard(ordinal);
  const OwnEvent event;
  require(driver::driver().record_event(event.get(), earlier), "record_event");
  require(driver::driver().wait_event(later, event.get()), "wait_event");
}

void Uses::note(int ordinal, driver::Stream stream) {
  const DeviceGuard guard(ordinal);
  if (is_being_captured(stream)) return;
  std::uint64_t id = 0;
  require(driver::driver().stream_id(stream, id), "stream_id");
  const std::lock_guard lock(mutex_);
  for (const Use& use : uses_) {
    if (use.stream != id) continue;
    require(driver::driver().record_event(use.event, stream), "record_event");
    return;
  }
  OwnEvent event;
  require(driver::driver().record_event(event.get(), stream), "record_event");
  uses_.push_back({id, event.get()});
  static_cast<void>(event.give_up());
}

void Uses::wait() noexcept {
  const std::lock_guard lock(mutex_);
  if (uses_.empty()) return;
  const RelaxedCapture relaxed;
  for (const Use& use : uses_) {
    static_cast<void>(driver::driver().synchronize_event(use.event));
    static_cast<void>(driver::driver().destroy_event(use.event));
  }
  uses_.clear();
}

Uses::~Uses() {
  wait();
}

}  // namespace dlcert::reference
