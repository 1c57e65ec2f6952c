// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "dlcert/tensor/managed.hpp"
#include "dlcert/tensor/storage.hpp"

namespace dlcert::reference {

/// Storage over memory that is on loan. It keeps the loan, and ends it with itself.
class BorrowedStorage final : public Storage {
 public:
  /// Storage that does not hold a loan yet: one allocation, one reference, which the caller owns.
  /// Throws std::bad_alloc.
  static BorrowedStorage& make(std::byte* data, std::int64_t bytes, DLDevice device = cpu_device,
                               HostMemory& memory = host_memory());

  void hold(Loan loan) noexcept { loan_ = std::move(loan); }

 private:
  BorrowedStorage(HostMemory& memory, std::byte* data, std::int64_t bytes, DLDevice device) noexcept
      : Storage(memory, data, bytes, device) {}

  void end() noexcept override;

  Loan loan_;
};

}  // namespace dlcert::reference
