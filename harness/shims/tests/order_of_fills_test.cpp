// SPDX-License-Identifier: Apache-2.0
//
// Fills that block: "Memset" of CUDA's "API synchronization behavior", and what the legacy default
// stream does to others.

#include <vector>

#include "order_fixture.hpp"

namespace dlcert::shim {
namespace {

using OrderOfFills = OrderTest;

TEST_F(OrderOfFills, AFillBetweenTwoBlockingStreamsTellsOfTheFirst) {
  expect_wait_is_needed([&](bool fills) {
    std::byte* const data = managed_memory();
    std::byte* const more = managed_memory();
    std::byte* const other = managed_memory();
    cudaStream_t const one = stream(), last = stream();
    ok(cudaMemset(data, 0, size));
    ok(cudaMemset(more, 0, size));
    kernel(one, writes(data));
    if (fills) ok(cudaMemset(other, 0, 4));
    kernel(last, writes(more));
    ok(cudaStreamSynchronize(last));
    host(reads(data));
  });
}

TEST_F(OrderOfFills, AFillTellsNothingOfAStreamThatDoesNotBlock) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = managed_memory();
    std::byte* const more = managed_memory();
    std::byte* const other = managed_memory();
    cudaStream_t const one = non_blocking_stream(), last = stream();
    ok(cudaMemset(data, 0, size));
    ok(cudaMemset(more, 0, size));
    ok(cudaDeviceSynchronize());
    kernel(one, writes(data));
    ok(cudaMemset(other, 0, 4));
    if (waits) ok(cudaStreamSynchronize(one));
    kernel(last, writes(more));
    ok(cudaStreamSynchronize(last));
    host(reads(data));
  });
}

TEST_F(OrderOfFills, AKernelOfAStreamThatDoesNotBlockMayOvertakeAFill) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = managed_memory();
    cudaStream_t const own = non_blocking_stream();
    ok(cudaMemset(data, 0, size));
    if (waits) ok(cudaDeviceSynchronize());
    kernel(own, writes(data));
    ok(cudaDeviceSynchronize());
  });
}

// Manuals before CUDA 12 had such a fill wait for its end, for managed memory too.
TEST_F(OrderOfFills, AFillOfManagedMemoryMayReturnEarly) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = managed_memory();
    ok(cudaMemset(data, 32, size));
    ok(cudaDeviceSynchronize());
    ok(cudaMemset(data, 0, size));
    if (waits) ok(cudaDeviceSynchronize());
    host(reads(data));
  });
}

TEST_F(OrderOfFills, AFillOfPinnedMemoryReturnsWhenItIsDone) {
  expect_order([&] {
    std::byte* const data = memory(MemoryKind::pinned);
    ok(cudaMemset(data, 1, size));
    host(reads(data));
    EXPECT_EQ(data[size - 1], std::byte{1});
    ok(cudaMemset2D(data, size / 2, 2, size / 4, 2));
    host(writes(data));
    EXPECT_EQ(data[size / 2], std::byte{2});
  });
}

TEST_F(OrderOfFills, AFillOfRowsBetweenTwoBlockingStreamsOrdersThem) {
  expect_wait_is_needed([&](bool fills) {
    constexpr std::size_t width = 64, rows = 8;
    void* data = nullptr;
    void* other = nullptr;
    std::size_t pitch = 0, other_pitch = 0;
    std::vector<std::byte> bytes(width * rows);
    ok(cudaMallocPitch(&data, &pitch, width, rows));
    ok(cudaMallocPitch(&other, &other_pitch, width, rows));
    cudaStream_t const writer = stream();
    cudaStream_t reader = nullptr;
    ok(cudaStreamCreateWithPriority(&reader, cudaStreamDefault, -1));
    ok(cudaMemset2D(data, pitch, 0, width, rows));
    ok(cudaDeviceSynchronize());
    kernel(writer, writes(data, pitch * rows));
    if (fills) ok(cudaMemset2D(other, other_pitch, 0, width, rows));
    ok(cudaMemcpy2DAsync(bytes.data(), width, data, pitch, width, rows, cudaMemcpyDeviceToHost,
                         reader));
    ok(cudaStreamSynchronize(reader));
  });
}

TEST_F(OrderOfFills, AFillOfRowsLeavesWhatLiesBetweenThem) {
  expect_order([&] {
    constexpr std::size_t width = 64, rows = 4;
    std::byte* const data = memory(MemoryKind::managed, 2 * width * rows);
    ok(cudaMemset2DAsync(data, 2 * width, 1, width, rows, non_blocking_stream()));
    host(writes(data + width, width));
    ok(cudaDeviceSynchronize());
  });
}

}  // namespace
}  // namespace dlcert::shim
