// SPDX-License-Identifier: Apache-2.0
//
// Memory that is allocated and released in stream order: "Stream Ordered Memory Allocator" of the
// CUDA Runtime API. Compute Sanitizer calls what is found here use before alloc and use after free.

#include <functional>
#include <vector>

#include "order_fixture.hpp"

namespace dlcert::shim {
namespace {

class OrderOfPools : public OrderTest {
 protected:
  using Wait = std::function<void(cudaStream_t first, cudaStream_t second)>;

  static std::byte* allocate(cudaStream_t stream) {
    void* made = nullptr;
    ok(cudaMallocAsync(&made, size, stream));
    return static_cast<std::byte*>(made);
  }

  // How the manual has work of another stream wait for an allocation.
  const std::vector<Wait> waits_{
      [](cudaStream_t first, cudaStream_t second) {
        ok(cudaStreamWaitEvent(second, recorded(first), 0));
      },
      [](cudaStream_t first, cudaStream_t) { ok(cudaStreamSynchronize(first)); },
      [](cudaStream_t first, cudaStream_t) { ok(cudaEventSynchronize(recorded(first))); },
      [](cudaStream_t first, cudaStream_t) {
        while (cudaStreamQuery(first) == cudaErrorNotReady) {
        }
      }};
};

TEST_F(OrderOfPools, MemoryIsUsedInItsStream) {
  expect_order([&] {
    cudaStream_t const own = non_blocking_stream();
    std::byte* const data = allocate(own);
    kernel(own, writes(data));
    ok(cudaFreeAsync(data, own));
    ok(cudaStreamSynchronize(own));
  });
}

TEST_F(OrderOfPools, AnotherStreamWaitsForTheAllocation) {
  for (const Wait& wait : waits_)
    expect_wait_is_needed([&](bool waits) {
      cudaStream_t const own = non_blocking_stream(), other = non_blocking_stream();
      std::byte* const data = allocate(own);
      if (waits) wait(own, other);
      kernel(other, writes(data));
    });
}

TEST_F(OrderOfPools, TheReleaseWaitsForAnotherStream) {
  for (const Wait& wait : waits_)
    expect_wait_is_needed([&](bool waits) {
      cudaStream_t const own = non_blocking_stream(), other = non_blocking_stream();
      std::byte* const data = allocate(own);
      ok(cudaStreamSynchronize(own));
      kernel(other, reads(data));
      if (waits) wait(other, own);
      ok(cudaFreeAsync(data, own));
    });
}

TEST_F(OrderOfPools, TheReleaseMayBeInAnotherStreamThatWaits) {
  expect_wait_is_needed([&](bool waits) {
    cudaStream_t const own = non_blocking_stream(), other = non_blocking_stream();
    std::byte* const data = allocate(own);
    kernel(own, writes(data));
    if (waits) ok(cudaStreamWaitEvent(other, recorded(own), 0));
    ok(cudaFreeAsync(data, other));
  });
}

TEST_F(OrderOfPools, TheLegacyStreamOrdersAsItDoesOtherWork) {
  expect_wait_is_needed([&](bool blocking) {
    cudaStream_t const own = blocking ? stream() : non_blocking_stream();
    std::byte* const data = allocate(own);
    kernel(nullptr, writes(data));
    ok(cudaFreeAsync(data, own));
  });
}

}  // namespace
}  // namespace dlcert::shim
