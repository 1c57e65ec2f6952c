// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dlcert/suite/party.hpp>

namespace dlcert::testbench {

// While it exists, the library's allocations fail after `successes` more, whatever is thrown. The
// library must offer Can::fail_allocation and outlive it. Only one may exist at a time.
class FailingAllocations {
 public:
  FailingAllocations(const Party& party, std::int64_t successes) : party_{party} {
    party_.fail_allocation(successes);
  }
  ~FailingAllocations() { party_.fail_allocation(-1); }
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

 private:
  const Party& party_;
};

}  // namespace dlcert::testbench
