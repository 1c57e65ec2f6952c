// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "dlcert/driver/driver.hpp"

namespace dlcert::reference {

/// The work of this library on one piece of memory that may not have run yet. Any thread.
class Uses {
 public:
  Uses() = default;
  Uses(const Uses&) = delete;
  Uses& operator=(const Uses&) = delete;
  ~Uses();

  /// Remembers all that `stream` of the device `ordinal` has been given so far, by an event: the
  /// stream may be destroyed afterwards. What is being captured has not been given to anybody.
  /// Throws a DeviceError.
  void note(int ordinal, driver::Stream stream);

  /// Returns when all of it has run, also while some stream is being captured.
  void wait() noexcept;

 private:
  struct Use {
    std::uint64_t stream = 0;  // the driver's ID, which is never used again
    driver::Event event{};
  };

  // Under the lock, once there are many: memory that lives long is used on many streams.
  void forget_what_has_run() noexcept;
  static constexpr std::size_t many = 16;

  std::mutex mutex_;
  std::vector<Use> uses_;
};

}  // namespace dlcert::reference
