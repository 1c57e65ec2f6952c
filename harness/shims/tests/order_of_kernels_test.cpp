// SPDX-License-Identifier: Apache-2.0
//
// Kernels, and a host that sends, receives or computes with what they write: "Kernel Launches" of
// CUDA's "API synchronization behavior".

#include <array>
#include <vector>

#include "order_fixture.hpp"

namespace dlcert::shim {
namespace {

class OrderOfKernels : public OrderTest {
 protected:
  // Two buffers in one argument of three kernels, each of which writes one of them.
  template <class Use>
  void two_streams_write_two_buffers(bool waits, Use&& use) {
    std::byte* const first = device_memory();
    std::byte* const second = device_memory();
    cudaStream_t const one = stream(), other = stream();
    kernel(one, writes(first));
    kernel(other, writes(second));
    kernel(other, writes(second));
    if (waits) ok(cudaDeviceSynchronize());
    use(second, one);
  }
};

TEST_F(OrderOfKernels, WhatIsSentHasToBeWrittenFirst) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = device_memory();
    kernel(nullptr, writes(data));
    if (waits) ok(cudaDeviceSynchronize());
    host(reads(data));
  });
}

TEST_F(OrderOfKernels, WhatIsReceivedHasToBeThereBeforeAKernelWritesIt) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = device_memory();
    host(writes(data));  // a receive begins
    if (waits) host(writes(data));
    kernel(nullptr, writes(data));
    if (!waits) host(writes(data));  // it ends
    std::array<std::byte, size> bytes{};
    ok(cudaMemcpy(bytes.data(), data, size, cudaMemcpyDeviceToHost));
  });
}

TEST_F(OrderOfKernels, WhatIsSentHasToBeWrittenByItsStreamFirst) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = device_memory();
    cudaStream_t const own = stream();
    kernel(own, writes(data));
    if (waits) ok(cudaStreamSynchronize(own));
    host(reads(data));
  });
}

TEST_F(OrderOfKernels, AKernelAndASendMayReadTheSame) {
  expect_order([&] {
    std::byte* const data = device_memory();
    kernel(nullptr, writes(data));
    ok(cudaDeviceSynchronize());
    std::byte* const result = device_memory();
    kernel(nullptr, reads(data), writes(result));
    host(reads(data));
    ok(cudaFree(result));
    ok(cudaDeviceSynchronize());
    ok(cudaFree(data));
  });
}

TEST_F(OrderOfKernels, BuffersThatTravelTogetherAreOrderedEachForItself) {
  expect_wait_is_needed([&](bool waits) {
    two_streams_write_two_buffers(
        waits, [&](std::byte* data, cudaStream_t other) { kernel(other, writes(data)); });
  });
}

TEST_F(OrderOfKernels, OneOfTwoBuffersIsSent) {
  expect_wait_is_needed([&](bool waits) {
    two_streams_write_two_buffers(waits, [&](std::byte* data, cudaStream_t) { host(reads(data)); });
  });
}

TEST_F(OrderOfKernels, BuffersAreFoundThroughPinnedMemory) {
  expect_wait_is_needed([&](bool waits) {
    const std::byte* const table = memory(MemoryKind::pinned, sizeof(void*));
    std::byte* const data = device_memory();
    cudaStream_t const own = stream();
    kernel(own, reads(table, sizeof(void*)), writes(data));
    if (waits) ok(cudaDeviceSynchronize());
    host(reads(data));
  });
}

TEST_F(OrderOfKernels, ChunksAreSentWhenTheirStreamsAreDone) {
  for (const bool pinned : {false, true})
    expect_order([&] {
      constexpr std::size_t chunks = 4, chunk = size / chunks;
      std::vector<std::byte> pageable(size);
      std::byte* const bytes = pinned ? memory(MemoryKind::pinned) : pageable.data();
      std::byte* const data = device_memory();
      cudaStream_t const writer = stream();
      kernel(writer, writes(data));
      ok(cudaStreamSynchronize(writer));
      std::array<cudaStream_t, chunks> streams{};
      for (std::size_t i = 0; i < chunks; ++i) {
        streams.at(i) = stream();
        ok(cudaMemcpyAsync(bytes + i * chunk, data + i * chunk, chunk, cudaMemcpyDeviceToHost,
                           streams.at(i)));
      }
      for (std::size_t i = 0; i < chunks; ++i) {
        ok(cudaStreamSynchronize(streams.at(i)));
        host(reads(bytes + i * chunk, chunk));
      }
    });
}

TEST_F(OrderOfKernels, AChunkIsNotSentBeforeItsOwnStreamIsDone) {
  expect_race([&] {
    std::byte* const bytes = memory(MemoryKind::pinned);
    const std::byte* const data = device_memory();
    cudaStream_t const one = stream(), other = stream();
    constexpr std::size_t half = size / 2;
    ok(cudaMemcpyAsync(bytes, data, half, cudaMemcpyDeviceToHost, one));
    ok(cudaMemcpyAsync(bytes + half, data + half, half, cudaMemcpyDeviceToHost, other));
    ok(cudaStreamSynchronize(one));
    host(reads(bytes));
  });
}

TEST_F(OrderOfKernels, OneHalfIsSentWhileTheOtherIsWritten) {
  expect_order([&] {
    constexpr std::size_t half = size / 2;
    std::byte* const data = device_memory();
    cudaStream_t const own = stream();
    kernel(own, writes(data, half));
    ok(cudaStreamSynchronize(own));
    kernel(own, writes(data + half, half));
    host(reads(data, half));
    ok(cudaStreamSynchronize(own));
    host(reads(data + half, half));
  });
}

TEST_F(OrderOfKernels, RowsAreSentWithTheirPadding) {
  expect_wait_is_needed([&](bool waits) {
    constexpr std::size_t rows = 8;
    void* data = nullptr;
    std::size_t pitch = 0;
    ok(cudaMallocPitch(&data, &pitch, 16, rows));
    kernel(nullptr, writes(data, pitch * rows));
    if (waits) ok(cudaDeviceSynchronize());
    host(reads(data, pitch * rows));
  });
}

TEST_F(OrderOfKernels, ACopyOfAnotherStreamWaitsForTheKernel) {
  expect_wait_is_needed([&](bool waits) {
    std::array<std::byte, size> bytes{};
    std::byte* const data = device_memory();
    cudaStream_t const writer = stream(), reader = stream();
    kernel(writer, writes(data));
    if (waits) ok(cudaStreamSynchronize(writer));
    ok(cudaMemcpyAsync(bytes.data(), data, size, cudaMemcpyDeviceToHost, reader));
    ok(cudaStreamSynchronize(reader));
  });
}

}  // namespace
}  // namespace dlcert::shim
