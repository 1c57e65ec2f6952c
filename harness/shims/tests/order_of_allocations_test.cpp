// SPDX-License-Identifier: Apache-2.0
//
// Allocations and releases. The programming guide's "Implicit Synchronization" names work in the
// legacy default stream and, since CUDA 12, no allocation; cudaFree "may" synchronise. So nothing
// here orders anything.

#include <vector>

#include "order_fixture.hpp"

namespace dlcert::shim {
namespace {

class OrderOfAllocations : public OrderTest {
 protected:
  // Writes in one blocking stream and reads in another, with a call between.
  template <class Call>
  void read_after(Call&& call) {
    std::vector<std::byte> bytes(size);
    std::byte* const data = device_memory();
    cudaStream_t const writer = stream(), reader = stream();
    ok(cudaMemset(data, 0, size));
    ok(cudaDeviceSynchronize());
    kernel(writer, writes(data));
    call();
    ok(cudaMemcpyAsync(bytes.data(), data, size, cudaMemcpyDefault, reader));
    ok(cudaStreamSynchronize(reader));
  }
};

TEST_F(OrderOfAllocations, AnAllocationOfDeviceMemoryOrdersNothing) {
  expect_race([&] { read_after([] {}); });
  expect_race([&] { read_after([] { device_memory(); }); });
}

TEST_F(OrderOfAllocations, AnAllocationOfManagedMemoryOrdersNothing) {
  expect_race([&] { read_after([] { managed_memory(); }); });
}

TEST_F(OrderOfAllocations, AnAllocationOfPinnedMemoryOrdersNothing) {
  expect_race([&] { read_after([] { memory(MemoryKind::pinned); }); });
  expect_race([&] {
    std::vector<std::byte> own(size);
    read_after([&] { ok(cudaHostRegister(own.data(), size, cudaHostRegisterDefault)); });
    ok(cudaHostUnregister(own.data()));
  });
}

TEST_F(OrderOfAllocations, AReleaseOrdersNothing) {
  for (const MemoryKind kind : {MemoryKind::device, MemoryKind::managed})
    expect_race([&] {
      std::byte* const other = memory(kind);
      read_after([&] { ok(cudaFree(other)); });
    });
  expect_race([&] {
    std::byte* const other = memory(MemoryKind::pinned);
    read_after([&] { ok(cudaFreeHost(other)); });
  });
}

TEST_F(OrderOfAllocations, AReleaseWaitsForWhatUsesTheMemory) {
  expect_order([&] {
    std::byte* const data = device_memory();
    kernel(non_blocking_stream(), writes(data));
    ok(cudaFree(data));
  });
}

TEST_F(OrderOfAllocations, MemoryIsAllocatedAndReleased) {
  expect_order([&] {
    void* more = nullptr;
    std::byte* const pinned = memory(MemoryKind::pinned);
    ok(cudaHostAlloc(&more, size, cudaHostAllocDefault));
    ok(cudaFreeHost(pinned));
    ok(cudaFreeHost(more));
  });
}

TEST_F(OrderOfAllocations, AStreamThatIsCreatedOrDestroyedOrdersNothing) {
  expect_race([&] { read_after([] { stream(); }); });
  expect_race([&] {
    cudaStream_t const other = stream();
    read_after([&] { ok(cudaStreamDestroy(other)); });
  });
  expect_race([&] {
    std::byte* const data = device_memory();
    cudaStream_t const writer = stream();
    kernel(writer, writes(data));
    ok(cudaStreamDestroy(writer));
    host(reads(data));
  });
}

}  // namespace
}  // namespace dlcert::shim
