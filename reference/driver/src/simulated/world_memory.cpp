// SPDX-License-Identifier: Apache-2.0
//
// The memory of the simulated driver.

#include <cstdlib>
#include <cstring>

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {
namespace {

constexpr std::size_t host_alignment = 512;
constexpr int host_poison = 0xA5;

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

DeviceArena& World::arena(int device) {
  std::unique_ptr<DeviceArena>& arena = arenas_[static_cast<std::size_t>(device)];
  if (arena == nullptr) {
    arena = std::make_unique<DeviceArena>(options_.memory_per_device);
    arena->set_recurring(recurring_);
  }
  return *arena;
}

std::optional<World::Place> World::place_of(const void* address, std::size_t bytes,
                                            AccessKind kind) {
  const Allocation* const allocation = memory_->find(number(address));
  if (allocation == nullptr) {
    for (const auto& arena : arenas_)
      if (arena != nullptr && arena->holds(address)) return std::nullopt;
    if (address == nullptr) return std::nullopt;
    // The host's memory is the host's business.
    return Place{static_cast<std::byte*>(const_cast<void*>(address)), MemoryKind::pageable};
  }
  if (bytes > allocation->bytes - (number(address) - allocation->begin)) return std::nullopt;
  // Memory of a graph has a place without being allocated: its users tell of that.
  if (!allocation->alive && allocation->graph == nullptr) return std::nullopt;
  const bool reserved = allocation->range != nullptr;
  if (reserved && !allocation->range->allows(number(address), bytes, kind)) return std::nullopt;
  return Place{bytes_at(*allocation, address), allocation->kind};
}

std::byte* World::bytes_at(const Allocation& allocation, const void* address) {
  if (allocation.range != nullptr) return allocation.range->view(number(address));
  auto* const place = static_cast<std::byte*>(const_cast<void*>(address));
  return allocation.kind == MemoryKind::device ? arena(allocation.device).view(place) : place;
}

std::byte* World::view(const void* address) {
  const Lock lock{mutex_};
  const Allocation* const allocation = memory_->find(number(address));
  if (allocation == nullptr) return nullptr;
  if (allocation->range != nullptr && allocation->range->find(number(address)) == nullptr)
    return nullptr;
  return bytes_at(*allocation, address);
}

// ---- allocation ---------------------------------------------------------------------------------

Status World::allocate_host(MemoryKind kind, std::size_t bytes, int device, void*& out) {
  const std::size_t rounded = (bytes + host_alignment - 1) / host_alignment * host_alignment;
  void* const memory = rounded < bytes ? nullptr : std::aligned_alloc(host_alignment, rounded);
  if (memory == nullptr) return Status::out_of_memory;
  std::memset(memory, host_poison, rounded);
  Allocation allocation;
  allocation.begin = number(memory);
  allocation.bytes = bytes;
  allocation.kind = kind;
  allocation.device = device;
  allocation.owned.reset(memory);
  memory_->insert(std::move(allocation));
  out = memory;
  return Status::success;
}

Status World::allocate(MemoryKind kind, std::size_t bytes, void*& out) {
  return call("allocate", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    if (const Status status = refuse_unsafe(session.thread); status != Status::success)
      return status;
    const int device = session.thread.device;
    if (kind == MemoryKind::pageable) return Status::invalid_value;
    if (bytes == 0) {
      out = nullptr;
      return Status::success;
    }
    if (kind != MemoryKind::device) return allocate_host(kind, bytes, device, out);
    void* const memory = arena(device).allocate(bytes);
    if (memory == nullptr) return Status::out_of_memory;
    memory_->insert({.begin = number(memory), .bytes = bytes, .kind = kind, .device = device});
    out = memory;
    return Status::success;
  });
}

void* World::block_of(const Allocation& allocation) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the table keeps addresses as numbers
  return reinterpret_cast<void*>(allocation.begin);
}

// Memory of a graph keeps its address.
void World::free_now(Allocation& allocation) {
  if (allocation.graph != nullptr) return arena(allocation.device).refresh(block_of(allocation));
  if (allocation.kind == MemoryKind::device) {
    DeviceArena& memory = arena(allocation.device);
    if (allocation.pool != nullptr)
      allocation.pool->give_back(memory.bytes_of(block_of(allocation)));
    memory.release(block_of(allocation));
  }
  memory_->erase(allocation.begin);
}

// Work that was submitted earlier may still use the memory, and finds it: real drivers wait here,
// but no program may rely on that, so the host learns nothing.
Status World::release(MemoryKind kind, void* memory) {
  return call(on_memory("release"), [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    if (const Status status = refuse_unsafe(session.thread); status != Status::success)
      return status;
    if (memory == nullptr) return Status::success;
    const auto owned = [&] {
      Allocation* const found = memory_->find(number(memory));
      const bool whole = found != nullptr && found->begin == number(memory) && !found->range;
      const bool releasable =
          whole && found->kind == kind && !found->registered && !found->variable;
      return releasable && found->alive ? found : nullptr;
    };
    Allocation* const found = owned();
    if (found == nullptr) return Status::invalid_value;
    // CUDA alone says that it does not wait for memory of allocate_async.
    if (found->stream_ordered && options_.vendor == Vendor::cuda) {
      release_at_once(*found);
      return Status::success;
    }
    for (int device = 0; device < options_.devices; ++device)
      engine_->run_device(device, session.lock);
    Allocation* const allocation = owned();
    if (allocation == nullptr) return Status::invalid_value;
    free_now(*allocation);
    return Status::success;
  });
}

// ---- memory of the caller -----------------------------------------------------------------------

Status World::register_host(void* memory, std::size_t bytes) {
  return call("register_host", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    if (const Status status = refuse_unsafe(session.thread); status != Status::success)
      return status;
    const bool wraps = number(memory) + bytes < number(memory);
    if (memory == nullptr || bytes == 0 || wraps) return Status::invalid_value;
    const Allocation* const added = memory_->insert({.begin = number(memory),
                                                     .bytes = bytes,
                                                     .kind = MemoryKind::pinned,
                                                     .device = session.thread.device,
                                                     .registered = true});
    return added != nullptr ? Status::success : Status::host_memory_already_registered;
  });
}

Status World::unregister_host(void* memory) {
  return call("unregister_host", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    if (memory == nullptr) return Status::invalid_value;
    const Allocation* const found = memory_->find(number(memory));
    if (found == nullptr || found->begin != number(memory) || !found->registered)
      return Status::host_memory_not_registered;
    memory_->erase(found->begin);
    return Status::success;
  });
}

Status World::attributes(const void* memory, PointerAttributes& out) {
  return call("attributes", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    auto* const address = const_cast<void*>(memory);
    const Allocation* const found = memory_->find(number(memory));
    if (found == nullptr || (!is_alive(*found, number(memory)) && found->graph == nullptr)) {
      out = {};
      out.host_pointer = address;
      return Status::success;
    }
    const bool for_host = found->kind != MemoryKind::device;
    const int device = found->range != nullptr
                           ? found->range->find(number(memory))->memory->details.device
                           : found->device;
    out = {found->kind, device, address, for_host ? address : nullptr};
    return Status::success;
  });
}

bool World::memory_range(const void* address, MemoryRange& out) {
  const Lock lock{mutex_};
  const Allocation* const found = memory_->find(number(address));
  if (found != nullptr) out = {found->begin, found->bytes, found->id};
  return found != nullptr;
}

}  // namespace dlcert::driver::simulated
