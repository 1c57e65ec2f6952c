// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "dlcert/driver/driver.hpp"

namespace dlcert::reference {

/// The streams on which this library has used one piece of memory, as far as that work may not have
/// run yet. Any thread.
class StreamUses {
 public:
  StreamUses() = default;
  StreamUses(const StreamUses&) = delete;
  StreamUses& operator=(const StreamUses&) = delete;
  ~StreamUses();

  /// Remembers all that `stream` of the device `ordinal` has been given so far, by an event: the
  /// stream may be destroyed afterwards. Work that is being captured does not count. What it reads
  /// of `read` is kept until it has run.
  /// Throws a DeviceError; then `read` stays the caller's.
  void record(int ordinal, driver::Stream stream, std::vector<std::byte>&& read = {});

  /// Returns when all recorded work has run, also while some stream is being captured.
  void wait() noexcept;

 private:
  struct Use {
    std::uint64_t stream = 0;  // the driver's ID, which is never used again
    driver::Event event{};
    std::vector<std::vector<std::byte>> read = {};
  };

  // Called under the lock. Does nothing before there are `many` uses, or bytes of so many are kept,
  // which memory that lives long comes to have.
  void forget_what_has_run() noexcept;
  static constexpr std::size_t many = 16;

  std::mutex mutex_;
  std::vector<Use> uses_;
};

}  // namespace dlcert::reference
