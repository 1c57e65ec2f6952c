// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/streams.hpp"

#include <vector>

#include "driver_calls.hpp"

namespace dlcert::reference {
namespace {

thread_local std::vector<Stream> current_streams;

}  // namespace

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

}  // namespace dlcert::reference
