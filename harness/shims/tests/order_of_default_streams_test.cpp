// SPDX-License-Identifier: Apache-2.0
//
// The legacy default stream, and streams that wait for it or do not: CUDA's "Stream synchronization
// behavior".

#include "order_fixture.hpp"

namespace dlcert::shim {
namespace {

using OrderOfDefaultStreams = OrderTest;

TEST_F(OrderOfDefaultStreams, SynchronisingTheLegacyStreamTellsOfBlockingStreams) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = managed_memory();
    std::byte* const other = device_memory();
    cudaStream_t const own = stream();
    kernel(own, writes(data));
    kernel(nullptr, writes(other));
    if (waits) ok(cudaStreamSynchronize(nullptr));
    host(reads(data));
  });
}

TEST_F(OrderOfDefaultStreams, SynchronisingTheLegacyStreamAloneTellsOfBlockingStreams) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = managed_memory();
    cudaStream_t const own = stream();
    kernel(own, writes(data));
    if (waits) ok(cudaStreamSynchronize(nullptr));
    host(reads(data));
  });
}

TEST_F(OrderOfDefaultStreams, SynchronisingTheLegacyStreamTellsNothingOfOtherStreams) {
  expect_wait_is_needed([&](bool blocking) {
    std::byte* const data = managed_memory();
    cudaStream_t const own = blocking ? stream() : non_blocking_stream();
    kernel(own, writes(data));
    ok(cudaStreamSynchronize(nullptr));
    host(reads(data));
  });
}

TEST_F(OrderOfDefaultStreams, ABlockingStreamThatWorkedLaterTellsOfTheLegacyStream) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = managed_memory();
    std::byte* const other = device_memory();
    cudaStream_t const own = stream();
    kernel(nullptr, writes(data));
    kernel(own, writes(other));
    if (waits) ok(cudaStreamSynchronize(own));
    host(reads(data));
  });
}

TEST_F(OrderOfDefaultStreams, AnotherStreamThatWorkedLaterTellsNothingOfTheLegacyStream) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = managed_memory();
    std::byte* const other = device_memory();
    cudaStream_t const own = non_blocking_stream();
    kernel(nullptr, writes(data));
    kernel(own, writes(other));
    ok(cudaStreamSynchronize(own));
    if (waits) ok(cudaDeviceSynchronize());
    host(reads(data));
  });
}

TEST_F(OrderOfDefaultStreams, LegacyWorkBetweenTwoBlockingStreamsTellsOfTheFirst) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = managed_memory();
    std::byte* const other = device_memory();
    cudaStream_t const one = stream(), last = stream();
    kernel(one, writes(data));
    kernel(nullptr, writes(other));
    kernel(last, writes(other));
    if (waits) ok(cudaStreamSynchronize(last));
    host(reads(data));
  });
}

TEST_F(OrderOfDefaultStreams, ABlockingStreamWithoutLaterWorkTellsNothingOfTheLegacyStream) {
  expect_race([&] {
    std::byte* const data = managed_memory();
    cudaStream_t const own = stream();
    kernel(nullptr, writes(data));
    ok(cudaStreamSynchronize(own));
    host(reads(data));
  });
}

}  // namespace
}  // namespace dlcert::shim
