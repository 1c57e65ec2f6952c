// SPDX-License-Identifier: Apache-2.0
//
// Memory that programs map themselves. Source: CUDA Driver API, "Virtual Memory Management".

#include <array>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

constexpr std::size_t granule = mapping_granularity;

class MappedMemory : public Simulated {
 protected:
  std::byte* reserve(std::size_t bytes = 4 * granule, std::size_t alignment = 0) {
    void* made = nullptr;
    ok(driver_.reserve_addresses(bytes, alignment, made));
    return static_cast<std::byte*>(made);
  }
  MemoryHandle memory(std::size_t bytes = granule, int device = 0) {
    MemoryHandle made{};
    ok(driver_.create_memory({.device = device, .bytes = bytes}, made));
    return made;
  }
  void map(std::byte* at, MemoryHandle memory, std::size_t bytes = granule) {
    ok(driver_.map_memory(at, bytes, memory));
  }
  void allow(std::byte* at, std::size_t bytes = granule,
             PoolAccess access = PoolAccess::read_write) {
    ok(driver_.set_access(at, bytes, 0, access));
  }
  // Memory of the program's device that is ready to be used.
  std::byte* mapped(std::size_t granules = 1) {
    std::byte* const at = reserve();
    for (std::size_t index = 0; index < granules; ++index)
      map(at + index * granule, memory());
    allow(at, granules * granule);
    return at;
  }
  Status fill(std::byte* at, int value = 1, std::size_t bytes = size) {
    return driver_.fill(at, static_cast<std::uint8_t>(value), bytes);
  }
  Status read_back(const std::byte* from) {
    std::array<std::byte, size> host{};
    return driver_.copy(host.data(), from, size, CopyDirection::device_to_host);
  }
  std::uint64_t free_bytes() {
    std::uint64_t free = 0, total = 0;
    ok(driver_.memory_info(free, total));
    return free;
  }
};

// ---- addresses ----------------------------------------------------------------------------------

TEST_F(MappedMemory, AddressesAreAsAlignedAsTheyAreAskedFor) {
  const auto number = [](const void* address) { return reinterpret_cast<std::uintptr_t>(address); };
  EXPECT_EQ(number(reserve()) % granule, 0u);
  EXPECT_EQ(number(reserve(granule, 16 * granule)) % (16 * granule), 0u);
  EXPECT_NE(reserve(), reserve());
}

TEST_F(MappedMemory, AddressesAreReservedInPages) {
  void* made = nullptr;
  EXPECT_EQ(driver_.reserve_addresses(0, 0, made), Status::invalid_value);
  EXPECT_EQ(driver_.reserve_addresses(granule + 1, 0, made), Status::invalid_value);
  EXPECT_EQ(driver_.reserve_addresses(granule, 3 * granule, made), Status::invalid_value);
  EXPECT_EQ(driver_.reserve_addresses(std::size_t{1} << 60, 0, made), Status::out_of_memory);
  EXPECT_EQ(made, nullptr);
}

TEST_F(MappedMemory, AddressesAreFreedAsTheyWereReserved) {
  std::byte* const at = reserve();
  EXPECT_EQ(driver_.free_addresses(at, granule), Status::invalid_value);
  EXPECT_EQ(driver_.free_addresses(at + granule, 3 * granule), Status::invalid_value);
  ok(driver_.free_addresses(at, 4 * granule));
  EXPECT_EQ(driver_.free_addresses(at, 4 * granule), Status::invalid_value);
  EXPECT_EQ(driver_.free_addresses(buffer(), size), Status::invalid_value);
}

TEST_F(MappedMemory, AddressesAreNotFreedWhileMemoryIsMapped) {
  std::byte* const at = mapped();
  EXPECT_EQ(driver_.free_addresses(at, 4 * granule), Status::invalid_value);
  ok(driver_.unmap_memory(at, granule));
  ok(driver_.free_addresses(at, 4 * granule));
}

TEST_F(MappedMemory, ReservedAddressesAreNoMemoryThatIsReleased) {
  std::byte* const at = mapped();
  EXPECT_EQ(driver_.release(MemoryKind::device, at), Status::invalid_value);
  EXPECT_EQ(driver_.release_async(at, stream()), Status::invalid_value);
}

// ---- memory -------------------------------------------------------------------------------------

TEST_F(MappedMemory, MemoryIsMadeInGranules) {
  MemoryHandle made{};
  EXPECT_EQ(driver_.create_memory({.bytes = 0}, made), Status::invalid_value);
  EXPECT_EQ(driver_.create_memory({.bytes = granule / 2}, made), Status::invalid_value);
  EXPECT_EQ(driver_.create_memory({.device = 2, .bytes = granule}, made), Status::invalid_device);
  EXPECT_EQ(driver_.create_memory({.bytes = std::size_t{1} << 29}, made), Status::out_of_memory);
}

TEST_F(MappedMemory, MemoryCountsFromItsCreationOn) {
  const std::uint64_t before = free_bytes();
  const std::size_t living = driver_.living().allocations;
  const MemoryHandle made = memory(2 * granule);
  EXPECT_EQ(free_bytes(), before - 2 * granule);
  EXPECT_EQ(driver_.living().allocations, living + 1);
  reserve();
  EXPECT_EQ(driver_.living().allocations, living + 1);
  ok(driver_.release_memory(made));
  EXPECT_EQ(free_bytes(), before);
  EXPECT_EQ(driver_.release_memory(made), Status::invalid_value);
}

TEST_F(MappedMemory, MemoryEndsWithItsLastMappingAndReference) {
  const std::uint64_t before = free_bytes();
  const MemoryHandle made = memory();
  std::byte* const at = reserve();
  map(at, made);
  ok(driver_.release_memory(made));
  EXPECT_EQ(free_bytes(), before - granule);
  PhysicalMemoryDetails details;
  EXPECT_EQ(driver_.memory_details(made, details), Status::invalid_value);
  EXPECT_EQ(driver_.map_memory(at + granule, granule, made), Status::invalid_value);
  allow(at);
  EXPECT_EQ(fill(at), Status::success);
  ok(driver_.unmap_memory(at, granule));
  EXPECT_EQ(free_bytes(), before);
}

TEST_F(MappedMemory, WhatIsMappedGivesItsHandleAgain) {
  const MemoryHandle made = memory(granule, 1);
  std::byte* const at = reserve();
  map(at, made);
  ok(driver_.release_memory(made));
  MemoryHandle found{};
  ok(driver_.retain_mapped(at + granule / 2, found));
  EXPECT_EQ(found, made);
  PhysicalMemoryDetails details;
  ok(driver_.memory_details(found, details));
  EXPECT_EQ(details.device, 1);
  EXPECT_EQ(details.bytes, granule);
  EXPECT_EQ(driver_.retain_mapped(at + granule, found), Status::invalid_value);
  EXPECT_EQ(driver_.retain_mapped(buffer(), found), Status::invalid_value);
}

// ---- mappings -----------------------------------------------------------------------------------

TEST_F(MappedMemory, OnlyReservedAddressesThatAreFreeAreMapped) {
  std::byte* const at = reserve();
  map(at + granule, memory());
  const MemoryHandle more = memory(2 * granule);
  EXPECT_EQ(driver_.map_memory(at, 2 * granule, more), Status::invalid_value);
  EXPECT_EQ(driver_.map_memory(at + granule, granule, more), Status::invalid_value);
  EXPECT_EQ(driver_.map_memory(at + 3 * granule, 2 * granule, more), Status::invalid_value);
  EXPECT_EQ(driver_.map_memory(buffer(), granule, more), Status::invalid_value);
  ok(driver_.map_memory(at + 2 * granule, 2 * granule, more));
}

TEST_F(MappedMemory, MappingsAreOfWholeGranules) {
  std::byte* const at = reserve();
  const MemoryHandle made = memory(2 * granule);
  EXPECT_EQ(driver_.map_memory(at + 4096, granule, made), Status::invalid_value);
  EXPECT_EQ(driver_.map_memory(at, granule / 2, made), Status::invalid_value);
  EXPECT_EQ(driver_.map_memory(at, 3 * granule, made), Status::invalid_value);
  EXPECT_EQ(driver_.map_memory(at, 0, made), Status::invalid_value);
  ok(driver_.map_memory(at, granule, made));
}

TEST_F(MappedMemory, WhatIsNotMappedCannotBeUsed) {
  std::byte* const at = mapped();
  EXPECT_EQ(fill(at + granule), Status::invalid_value);
  EXPECT_EQ(read_back(at + granule), Status::invalid_value);
  EXPECT_EQ(fill(at + granule - size / 2), Status::invalid_value);
  EXPECT_EQ(fill(at + granule - size), Status::success);
  EXPECT_EQ(driver_.view(at + granule), nullptr);
}

TEST_F(MappedMemory, WhatIsMappedCanBeUsedOnceAccessIsSet) {
  std::byte* const at = reserve();
  map(at, memory());
  EXPECT_EQ(fill(at), Status::invalid_value);
  EXPECT_EQ(read_back(at), Status::invalid_value);
  allow(at, granule, PoolAccess::read);
  EXPECT_EQ(fill(at), Status::invalid_value);
  EXPECT_EQ(read_back(at), Status::success);
  allow(at);
  EXPECT_EQ(fill(at), Status::success);
  allow(at, granule, PoolAccess::none);
  EXPECT_EQ(read_back(at), Status::invalid_value);
}

TEST_F(MappedMemory, AccessIsToldAndEndsWithTheMapping) {
  std::byte* const at = mapped();
  PoolAccess access{};
  ok(driver_.mapped_access(at + granule - 1, 0, access));
  EXPECT_EQ(access, PoolAccess::read_write);
  ok(driver_.mapped_access(at, 1, access));
  EXPECT_EQ(access, PoolAccess::none);
  EXPECT_EQ(driver_.mapped_access(at + granule, 0, access), Status::invalid_value);
  EXPECT_EQ(driver_.mapped_access(at, 2, access), Status::invalid_device);
  ok(driver_.unmap_memory(at, granule));
  map(at, memory());
  ok(driver_.mapped_access(at, 0, access));
  EXPECT_EQ(access, PoolAccess::none);
}

TEST_F(MappedMemory, AccessIsSetOfWhatIsMappedAsAWhole) {
  std::byte* const at = mapped(2);
  EXPECT_EQ(driver_.set_access(at, 3 * granule, 0, PoolAccess::read), Status::invalid_value);
  static_cast<void>(driver_.take_limits());
  EXPECT_EQ(driver_.set_access(at, granule / 2, 0, PoolAccess::read), Status::not_supported);
  EXPECT_EQ(driver_.take_limits().size(), 1u);
}

TEST_F(MappedMemory, WorkGoesOverSeveralMappings) {
  std::byte* const at = mapped(2);
  ok(fill(at + granule - size / 2, 7));
  ok(driver_.synchronize_device());
  EXPECT_EQ(visible(at + granule - 1), 7);
  EXPECT_EQ(visible(at + granule), 7);
}

TEST_F(MappedMemory, TheSameMemoryIsSeenWhereverItIsMapped) {
  std::byte* const at = reserve();
  const MemoryHandle made = memory();
  map(at, made);
  map(at + granule, made);
  allow(at, 2 * granule);
  ok(fill(at, 5));
  ok(driver_.synchronize_device());
  EXPECT_EQ(visible(at + granule), 5);
  ok(driver_.release_memory(made));
  ok(driver_.unmap_memory(at, 2 * granule));
}

TEST_F(MappedMemory, WhatWasWrittenStaysWhenItIsMappedElsewhere) {
  std::byte* const at = reserve();
  const MemoryHandle made = memory();
  map(at, made);
  allow(at);
  ok(fill(at, 9));
  ok(driver_.unmap_memory(at, granule));
  map(at + granule, made);
  EXPECT_EQ(visible(at + granule), 9);
}

// ---- the end of a mapping -----------------------------------------------------------------------

TEST_F(MappedMemory, OnlyWholeMappingsAreUnmapped) {
  std::byte* const at = reserve();
  map(at, memory(2 * granule), 2 * granule);
  EXPECT_EQ(driver_.unmap_memory(at, granule), Status::invalid_value);
  EXPECT_EQ(driver_.unmap_memory(at + granule, granule), Status::invalid_value);
  EXPECT_EQ(driver_.unmap_memory(at, 3 * granule), Status::invalid_value);
  ok(driver_.unmap_memory(at, 2 * granule));
  EXPECT_EQ(driver_.unmap_memory(at, 2 * granule), Status::invalid_value);
}

TEST_F(MappedMemory, WorkThatWasSubmittedFindsWhatIsUnmappedBehindIt) {
  std::byte* const at = reserve();
  const MemoryHandle made = memory();
  map(at, made);
  allow(at);
  const Stream on = stream();
  write(on, at, 3);
  ok(driver_.unmap_memory(at, granule));
  map(at + granule, made);
  EXPECT_EQ(visible(at + granule), 3);
}

TEST_F(MappedMemory, UnmappingTeachesTheHostNothing) {
  std::byte* const at = mapped(2);
  const Stream on = stream();
  write(on, at + granule);
  ok(driver_.unmap_memory(at, granule));
  host_reads(at + granule);
  EXPECT_EQ(races(), 1u);
}

TEST_F(MappedMemory, AGraphThatNamesWhatWasUnmappedHarmsNobody) {
  std::byte* const at = mapped();
  const Stream on = stream();
  ok(driver_.begin_capture(on, CaptureMode::relaxed));
  write(on, at);
  Graph graph{};
  GraphExec executable{};
  ok(driver_.end_capture(on, graph));
  ok(driver_.instantiate(graph, executable));
  ok(driver_.unmap_memory(at, granule));
  ok(driver_.launch_graph(executable, on));
  ok(driver_.synchronize_stream(on));
  EXPECT_EQ(races(), 1u);
  ok(driver_.free_addresses(at, 4 * granule));
  ok(driver_.launch_graph(executable, on));
  ok(driver_.synchronize_stream(on));
}

// ---- races --------------------------------------------------------------------------------------

TEST_F(MappedMemory, WorkOnMappedMemoryRaces) {
  std::byte* const at = mapped(2);
  std::byte* const across = at + granule - size / 2;
  write(stream(), across);
  read(stream(), across);
  EXPECT_EQ(races(), 1u);
}

TEST_F(MappedMemory, OtherMemoryAtTheSameAddressRacesWithNoneOfBefore) {
  std::byte* const at = mapped(2);
  std::byte* const across = at + granule - size / 2;
  write(stream(), across);
  ok(driver_.unmap_memory(at, granule));
  map(at, memory());
  allow(at);
  read(stream(), at + granule - size);
  EXPECT_EQ(races(), 0u);
  read(stream(), across);
  EXPECT_EQ(races(), 1u);  // the second mapping is that of before
}

// ---- what is asked of an address ----------------------------------------------------------------

TEST_F(MappedMemory, MappedMemoryIsOfItsDevice) {
  std::byte* const at = reserve();
  map(at, memory(granule, 1));
  PointerAttributes found;
  ok(driver_.attributes(at, found));
  EXPECT_EQ(found.kind, MemoryKind::device);
  EXPECT_EQ(found.device, 1);
  ok(driver_.attributes(at + granule, found));
  EXPECT_EQ(found.kind, MemoryKind::pageable);
  MemoryRange range;
  EXPECT_TRUE(driver_.memory_range(at + granule, range));
  EXPECT_EQ(range.begin, reinterpret_cast<std::uintptr_t>(at));
  EXPECT_EQ(range.bytes, 4 * granule);
}

TEST_F(MappedMemory, ItOutlivesItsContext) {
  std::byte* const at = mapped();
  ok(driver_.reset_device());
  EXPECT_EQ(fill(at), Status::success);
}

TEST_F(MappedMemory, ItEndsWithTheWorld) {
  std::byte* const at = mapped();
  restart({.devices = 2});
  EXPECT_EQ(driver_.living().allocations, 0u);
  EXPECT_EQ(driver_.view(at), nullptr);
  EXPECT_EQ(fill(mapped()), Status::success);
}

TEST_F(MappedMemory, AddressesThatAreFreedAgainAndAgainStayFew) {
  for (int times = 0; times < 300; ++times)
    ok(driver_.free_addresses(reserve(std::size_t{1} << 32), std::size_t{1} << 32));
  EXPECT_EQ(driver_.living().allocations, 0u);
}

}  // namespace
}  // namespace dlcert::driver
