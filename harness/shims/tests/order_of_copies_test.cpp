// SPDX-License-Identifier: Apache-2.0
//
// Copies that block: "Memcpy" of CUDA's "API synchronization behavior", and what the legacy default
// stream does to others.

#include <array>
#include <vector>

#include "order_fixture.hpp"

namespace dlcert::shim {
namespace {

class OrderOfCopies : public OrderTest {
 protected:
  void copy_between_hosts() {
    ok(cudaMemcpy(to_.data(), from_.data(), to_.size(), cudaMemcpyHostToHost));
  }

  std::array<std::byte, 4> to_{}, from_{};
  std::vector<std::byte> bytes_ = std::vector<std::byte>(size);
};

TEST_F(OrderOfCopies, ACopyBetweenHostsOrdersBlockingStreams) {
  expect_wait_is_needed([&](bool copies) {
    std::byte* const data = device_memory();
    cudaStream_t const writer = stream(), reader = stream();
    ok(cudaMemset(data, 0, size));
    ok(cudaDeviceSynchronize());
    kernel(writer, writes(data));
    if (copies) copy_between_hosts();
    ok(cudaMemcpyAsync(bytes_.data(), data, size, cudaMemcpyDefault, reader));
    ok(cudaStreamSynchronize(reader));
  });
}

TEST_F(OrderOfCopies, ACopyBetweenHostsTellsNothingOfAStreamThatDoesNotBlock) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = device_memory();
    cudaStream_t const writer = non_blocking_stream(), reader = non_blocking_stream();
    ok(cudaMemset(data, 0, size));
    ok(cudaDeviceSynchronize());
    kernel(writer, writes(data));
    copy_between_hosts();
    if (waits) ok(cudaStreamSynchronize(writer));
    ok(cudaMemcpyAsync(bytes_.data(), data, size, cudaMemcpyDefault, reader));
    ok(cudaStreamSynchronize(reader));
  });
}

TEST_F(OrderOfCopies, ACopyBetweenHostsTellsTheHostOfBlockingStreams) {
  expect_wait_is_needed([&](bool copies) {
    std::byte* const data = device_memory();
    cudaStream_t const writer = stream();
    kernel(writer, writes(data));
    if (copies) copy_between_hosts();
    host(reads(data));
  });
}

TEST_F(OrderOfCopies, AnAsynchronousCopyBetweenHostsTellsTheHostOfItsStream) {
  expect_wait_is_needed([&](bool copies) {
    std::byte* const data = device_memory();
    cudaStream_t const own = non_blocking_stream();
    kernel(own, writes(data));
    if (copies)
      ok(cudaMemcpyAsync(to_.data(), from_.data(), to_.size(), cudaMemcpyHostToHost, own));
    host(reads(data));
  });
}

// The bytes have left pageable memory when the call returns, and may not have arrived.
TEST_F(OrderOfCopies, ACopyFromPageableMemoryMayNotHaveArrived) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = device_memory();
    ok(cudaMemset(data, 255, size));
    ok(cudaDeviceSynchronize());
    ok(cudaMemcpy(data, bytes_.data(), size, cudaMemcpyHostToDevice));
    if (waits) ok(cudaDeviceSynchronize());
    host(reads(data));
  });
}

TEST_F(OrderOfCopies, ACopyFromPageableMemoryThatIsReceivedIsReadInItsOwnStream) {
  expect_order([&] {
    std::byte* const data = device_memory();
    cudaStream_t const own = stream();
    host(writes(data));  // a receive
    ok(cudaMemcpyAsync(bytes_.data(), data, size, cudaMemcpyDeviceToHost, own));
    ok(cudaStreamSynchronize(own));
  });
}

// Areas may not overlap, so this is outside of the manual; that the host waits is not.
TEST_F(OrderOfCopies, ACopyOfPinnedMemoryOntoItselfIsDoneWhenItReturns) {
  expect_order([&] {
    ok(cudaHostRegister(bytes_.data(), size, cudaHostRegisterDefault));
    void* more = nullptr;
    ok(cudaHostAlloc(&more, size, cudaHostAllocDefault));
    host(writes(bytes_.data()));
    ok(cudaMemcpy(bytes_.data(), bytes_.data(), size, cudaMemcpyDefault));
    host(reads(bytes_.data()));
    ok(cudaHostUnregister(bytes_.data()));
    ok(cudaFreeHost(more));
  });
}

TEST_F(OrderOfCopies, ACopyOfRowsBetweenTwoBlockingStreamsOrdersThem) {
  expect_wait_is_needed([&](bool copies) {
    constexpr std::size_t width = 64, rows = 4;
    void* data = nullptr;
    std::size_t pitch = 0;
    ok(cudaMallocPitch(&data, &pitch, width, rows));
    std::vector<std::byte> other(width * rows);
    cudaStream_t const writer = stream(), reader = stream();
    ok(cudaMemset2D(data, pitch, 0, width, rows));
    ok(cudaDeviceSynchronize());
    kernel(writer, writes(data, pitch * rows));
    if (copies)
      ok(cudaMemcpy2D(other.data(), width, data, pitch, width, rows, cudaMemcpyDeviceToHost));
    ok(cudaMemcpy2DAsync(bytes_.data(), width, data, pitch, width, rows, cudaMemcpyDeviceToHost,
                         reader));
    ok(cudaStreamSynchronize(reader));
  });
}

TEST_F(OrderOfCopies, ACopyWithinADeviceMayReturnEarly) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const from = device_memory();
    std::byte* const to = device_memory();
    ok(cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice));
    if (waits) ok(cudaStreamSynchronize(nullptr));
    kernel(non_blocking_stream(), writes(from));
  });
}

// cudaMemcpyPeer: serialised with all work of its devices, and asynchronous for the host.
TEST_F(OrderOfCopies, ACopyBetweenPeersIsOrderedWithAllStreamsOfBoth) {
  std::byte* to = nullptr;
  std::byte* from = nullptr;
  const auto copy = [&] {
    to = device_memory();
    ok(cudaSetDevice(1));
    from = device_memory();
    cudaStream_t const writer = non_blocking_stream();
    cudaStream_t const later = non_blocking_stream();
    kernel(writer, writes(from));
    ok(cudaMemcpyPeer(to, 0, from, 1, size));
    kernel(later, writes(from));
    ok(cudaSetDevice(0));
  };
  expect_order([&] {
    cudaStream_t const reader = non_blocking_stream();
    copy();
    kernel(reader, reads(to));
    kernel(non_blocking_stream(), reads(to));
  });
  expect_race([&] {
    copy();
    host(reads(to));
  });
}

}  // namespace
}  // namespace dlcert::shim
