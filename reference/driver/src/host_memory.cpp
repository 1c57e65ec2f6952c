// SPDX-License-Identifier: Apache-2.0

#include "dlcert/driver/host_memory.hpp"

#include <atomic>
#include <new>

#include "system_memory.hpp"

namespace dlcert::driver {
namespace {

/// Never destroyed: blocks are given back even while the process ends.
HostMemory& system_memory() noexcept {
  alignas(SystemMemory) static std::byte room[sizeof(SystemMemory)];
  static auto* const memory = ::new (static_cast<void*>(room)) SystemMemory;
  return *memory;
}

std::atomic<HostMemory*>& current() noexcept {
  static std::atomic<HostMemory*> memory{&system_memory()};
  return memory;
}

}  // namespace

HostMemory::~HostMemory() = default;

HostMemory& host_memory() noexcept {
  return *current().load(std::memory_order_acquire);
}

HostMemory& set_host_memory(HostMemory& memory) noexcept {
  return *current().exchange(&memory, std::memory_order_acq_rel);
}

}  // namespace dlcert::driver
