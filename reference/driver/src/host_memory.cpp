// SPDX-License-Identifier: Apache-2.0

#include "dlcert/driver/host_memory.hpp"

#include <atomic>

#include "system_memory.hpp"

namespace dlcert::driver {
namespace {

/// Never destroyed: blocks are given back even while the process ends. Made by the compiler, so
/// that nobody asks whether it is made yet.
union Undying {
  constexpr Undying() noexcept : memory() {}
  ~Undying() {}
  SystemMemory memory;
};

constinit Undying undying;
constinit std::atomic<HostMemory*> current{&undying.memory};

}  // namespace

HostMemory::~HostMemory() = default;

HostMemory& host_memory() noexcept {
  return *current.load(std::memory_order_acquire);
}

HostMemory& set_host_memory(HostMemory& memory) noexcept {
  return *current.exchange(&memory, std::memory_order_acq_rel);
}

}  // namespace dlcert::driver
