// SPDX-License-Identifier: Apache-2.0
//
// Memory that programs map to addresses themselves. The rules are those of "Virtual Memory
// Management" in the reference of CUDA's driver API.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {
namespace {

constexpr std::size_t mapping_page = 4096;
// A graph that was captured may still name addresses of so many freed ranges.
constexpr std::size_t most_freed_ranges = 16;

std::uintptr_t place_of_bytes(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

bool is_granular(std::uint64_t value) {
  return value % mapping_granularity == 0;
}

}  // namespace

// ---- addresses ----------------------------------------------------------------------------------

Status World::reserve_addresses(std::size_t bytes, std::size_t alignment, void*& out) {
  return call("reserve_addresses", [&](Session&) {
    const bool is_aligned = alignment == 0 || std::has_single_bit(alignment);
    if (bytes == 0 || bytes % mapping_page != 0 || !is_aligned) return Status::invalid_value;
    auto range = std::make_shared<AddressRange>(bytes, std::max(alignment, mapping_granularity));
    const std::uintptr_t begin = range->begin();
    memory_->insert({.begin = begin, .bytes = bytes, .range = std::move(range)});
    ++reservations_;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the table keeps addresses as numbers
    out = reinterpret_cast<void*>(begin);
    return Status::success;
  });
}

Status World::free_addresses(void* begin, std::size_t bytes) {
  return call("free_addresses", [&](Session& session) {
    const auto freeable = [&] {
      const Allocation* const found = memory_->find(place_of_bytes(begin));
      const bool whole = found != nullptr && found->range != nullptr &&
                         found->begin == place_of_bytes(begin) && found->bytes == bytes;
      return whole && found->range->is_empty() ? found : nullptr;
    };
    if (freeable() == nullptr) return Status::invalid_value;
    for (int device = 0; device < options_.devices; ++device)
      engine_->run_device(device, session.lock);
    const Allocation* const freed = freeable();
    if (freed == nullptr) return Status::invalid_value;
    freed_ranges_.push_back(freed->range);
    if (freed_ranges_.size() > most_freed_ranges) freed_ranges_.pop_front();
    memory_->erase(freed->begin);
    --reservations_;
    return Status::success;
  });
}

Allocation* World::find_reserved(std::uintptr_t begin, std::size_t bytes) {
  Allocation* const found = memory_->find(begin);
  if (found == nullptr || found->range == nullptr || bytes == 0) return nullptr;
  return bytes <= found->bytes - (begin - found->begin) ? found : nullptr;
}

// ---- memory -------------------------------------------------------------------------------------

Status World::create_memory(const PhysicalMemoryDetails& wanted, MemoryHandle& out) {
  return call("create_memory", [&](Session&) {
    if (const Status status = known(wanted.device); status != Status::success) return status;
    if (wanted.bytes == 0 || !is_granular(wanted.bytes)) return Status::invalid_value;
    auto made = std::make_unique<PhysicalMemory>();
    made->details = wanted;
    made->block = arena(wanted.device).allocate(wanted.bytes, mapping_page);
    if (made->block == nullptr) return Status::out_of_memory;
    PhysicalMemory& added = *made;
    out = added.handle = MemoryHandle{physical_.add(std::move(made))};
    return Status::success;
  });
}

// NULL without a reference, though something may still be mapped.
PhysicalMemory* World::find_physical(MemoryHandle memory) const {
  PhysicalMemory* const found = physical_.find(static_cast<std::uintptr_t>(memory));
  return found != nullptr && found->references > 0 ? found : nullptr;
}

void World::end_unused(const PhysicalMemory& memory) {
  if (memory.references > 0 || memory.mappings > 0) return;
  arena(memory.details.device).release(memory.block);
  physical_.remove(static_cast<std::uintptr_t>(memory.handle));
}

Status World::release_memory(MemoryHandle memory) {
  return call(on_memory("release_memory"), [&](Session&) {
    PhysicalMemory* const found = find_physical(memory);
    if (found == nullptr) return Status::invalid_value;
    --found->references;
    end_unused(*found);
    return Status::success;
  });
}

Status World::memory_details(MemoryHandle memory, PhysicalMemoryDetails& out) {
  return call("memory_details", [&](Session&) {
    const PhysicalMemory* const found = find_physical(memory);
    if (found == nullptr) return Status::invalid_value;
    out = found->details;
    return Status::success;
  });
}

Status World::retain_mapped(const void* address, MemoryHandle& out) {
  return call("retain_mapped", [&](Session&) {
    const Allocation* const reserved = find_reserved(place_of_bytes(address), 1);
    const auto* const mapping =
        reserved != nullptr ? reserved->range->find(place_of_bytes(address)) : nullptr;
    if (mapping == nullptr) return Status::invalid_value;
    ++mapping->memory->references;
    out = mapping->memory->handle;
    return Status::success;
  });
}

// ---- mappings -----------------------------------------------------------------------------------

// What the addresses held before is no matter of the memory that lies there from now on.
Status World::map_memory(void* begin, std::size_t bytes, MemoryHandle memory) {
  return call("map_memory", [&](Session&) {
    const std::uintptr_t first = place_of_bytes(begin);
    Allocation* const reserved = find_reserved(first, bytes);
    PhysicalMemory* const found = find_physical(memory);
    if (reserved == nullptr || found == nullptr || !is_granular(first) || !is_granular(bytes) ||
        bytes > found->details.bytes || !reserved->range->is_unmapped(first, bytes))
      return Status::invalid_value;
    reserved->range->map(first, bytes, *found, arena(found->details.device));
    reserved->history.forget_bytes({first, first + bytes});
    return Status::success;
  });
}

Status World::unmap_memory(void* begin, std::size_t bytes) {
  return call("unmap_memory", [&](Session& session) {
    const std::uintptr_t first = place_of_bytes(begin);
    const auto mapped = [&] {
      const Allocation* const reserved = find_reserved(first, bytes);
      const bool whole = reserved != nullptr && reserved->range->is_whole(first, bytes);
      return whole ? reserved->range : nullptr;
    };
    if (mapped() == nullptr) return Status::invalid_value;
    for (int device = 0; device < options_.devices; ++device)
      engine_->run_device(device, session.lock);
    const std::shared_ptr<AddressRange> range = mapped();
    if (range == nullptr) return Status::invalid_value;
    std::vector<PhysicalMemory*> let_go;
    range->for_each(first, bytes, [&](const AddressRange::Mapping& each) {
      if (--each.memory->mappings == 0) let_go.push_back(each.memory);
    });
    range->unmap(first, bytes);
    for (const PhysicalMemory* const memory : let_go)
      end_unused(*memory);
    return Status::success;
  });
}

Status World::set_access(void* begin, std::size_t bytes, int device, PoolAccess access) {
  return call("set_access", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    const std::uintptr_t first = place_of_bytes(begin);
    const Allocation* const reserved = find_reserved(first, bytes);
    if (reserved == nullptr || !reserved->range->is_mapped(first, bytes))
      return Status::invalid_value;
    if (!reserved->range->is_whole(first, bytes)) {
      note_limit("access to a part of what was mapped is not modelled");
      return Status::not_supported;
    }
    reserved->range->for_each(first, bytes,
                              [&](AddressRange::Mapping& each) { each.access[device] = access; });
    return Status::success;
  });
}

Status World::mapped_access(const void* address, int device, PoolAccess& out) {
  return call("mapped_access", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    const Allocation* const reserved = find_reserved(place_of_bytes(address), 1);
    const auto* const mapping =
        reserved != nullptr ? reserved->range->find(place_of_bytes(address)) : nullptr;
    if (mapping == nullptr) return Status::invalid_value;
    const auto given = mapping->access.find(device);
    out = given != mapping->access.end() ? given->second : PoolAccess::none;
    return Status::success;
  });
}

}  // namespace dlcert::driver::simulated
