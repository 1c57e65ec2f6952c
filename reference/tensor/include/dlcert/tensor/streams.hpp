// SPDX-License-Identifier: Apache-2.0
//
// On which device and stream the work of a thread is enqueued.

#pragma once

#include "dlcert/driver/driver.hpp"

namespace dlcert::reference {

using driver::Stream;

/// Makes a device the calling thread's current one, and the former one again when it dies. Throws a
/// DeviceError.
class DeviceGuard {
 public:
  explicit DeviceGuard(int ordinal);
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

 private:
  int former_ = 0;
  bool changed_ = false;
};

/// The stream of a device on which the calling thread's work is enqueued: its default stream,
/// unless a StreamGuard says otherwise.
[[nodiscard]] Stream current_stream(int ordinal) noexcept;

/// Makes a stream of a device current in the calling thread, and the former one again when it dies.
/// The caller keeps owning the stream. Throws std::bad_alloc.
class StreamGuard {
 public:
  StreamGuard(int ordinal, Stream stream);
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
  ~StreamGuard();

 private:
  int ordinal_;
  Stream former_;
};

/// Two handles of one device, used by one thread, that name the same stream.
[[nodiscard]] constexpr bool same_stream(Stream a, Stream b) noexcept {
  const auto plain = [](Stream stream) { return stream == Stream::legacy ? Stream::null : stream; };
  return plain(a) == plain(b);
}

/// Returns when all work on a device has run. Throws a DeviceError.
void synchronize_device(int ordinal);

/// What is enqueued on `later` from now on runs after all that `earlier` has been given so far.
/// Both are handles of the device `ordinal`, or of another device when they name one. Does not
/// block the host. Throws a DeviceError.
void make_wait(int ordinal, Stream earlier, Stream later);

}  // namespace dlcert::reference
