// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>

#include "dlcert/driver/host_memory.hpp"

namespace dlcert::driver {

/// Host memory of another source, with a count of its own, that fails on request: a test sees what
/// a library does when there is no memory.
class DLCERT_DRIVER_EXPORT FailingHostMemory final : public HostMemory {
 public:
  static constexpr std::int64_t never = -1;

  /// Passes every request on to `upstream`, which must outlive this object.
  explicit FailingHostMemory(HostMemory& upstream) noexcept;

  /// Lets the next `successes` allocations pass and makes the one after throw std::bad_alloc, once.
  /// `never` ends that.
  void fail_after(std::int64_t successes) noexcept;

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept override;
  [[nodiscard]] LiveAllocations live() const override;

 private:
  [[nodiscard]] bool is_due() noexcept;

  HostMemory& upstream_;
  std::atomic<std::int64_t> successes_{never};
  std::atomic<std::int64_t> blocks_{0};
  std::atomic<std::int64_t> bytes_{0};
};

}  // namespace dlcert::driver
