// SPDX-License-Identifier: Apache-2.0
//
// Events and queries: doc comments of cudaEventRecord, cudaEventSynchronize, cudaEventQuery,
// cudaStreamQuery and cudaStreamWaitEvent.

#include <vector>

#include "order_fixture.hpp"

namespace dlcert::shim {
namespace {

using OrderOfEvents = OrderTest;

// A host that has nothing else to do.
template <class Query>
void ask_until_done(Query&& query) {
  cudaError_t status = cudaErrorNotReady;
  while (status == cudaErrorNotReady)
    status = query();
  EXPECT_EQ(status, cudaSuccess);
}

TEST_F(OrderOfEvents, TheHostWaitsForTheEventBehindAKernel) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = managed_memory();
    ok(cudaMemset(data, 0, size));
    kernel(nullptr, writes(data));
    cudaEvent_t const end = recorded(nullptr);
    if (waits) ok(cudaEventSynchronize(end));
    host(reads(data));
  });
}

TEST_F(OrderOfEvents, WhatIsSentWaitsForTheEventBehindAKernel) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = device_memory();
    kernel(nullptr, writes(data));
    cudaEvent_t const end = recorded(nullptr);
    if (waits) ok(cudaEventSynchronize(end));
    host(reads(data));
    ok(cudaEventDestroy(end));
  });
}

TEST_F(OrderOfEvents, AnEventThatTheHostWaitedForOrdersTheNextKernel) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = device_memory();
    cudaStream_t const one = stream(), other = stream();
    kernel(one, reads(data), writes(data));
    cudaEvent_t const first = recorded(one);
    if (waits) ok(cudaEventSynchronize(first));
    kernel(other, reads(data), writes(data));
    ok(cudaStreamDestroy(one));
    ok(cudaStreamDestroy(other));
    ok(cudaEventDestroy(first));
  });
}

TEST_F(OrderOfEvents, AStreamWaitsForTheEventOfAnother) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = device_memory();
    std::byte* const result = device_memory();
    std::vector<std::byte> bytes(size);
    ok(cudaMemcpy(data, bytes.data(), size, cudaMemcpyHostToDevice));
    ok(cudaDeviceSynchronize());
    cudaStream_t const one = stream(), other = stream();
    kernel(one, writes(data));
    cudaEvent_t const written = recorded(one);
    if (waits) ok(cudaStreamWaitEvent(other, written, 0));
    kernel(other, reads(data), writes(result));
    ok(cudaMemcpy(bytes.data(), data, size, cudaMemcpyDeviceToHost));
    ok(cudaStreamSynchronize(other));
  });
}

TEST_F(OrderOfEvents, AStreamThatIsAskedUntilItIsDoneIsWaitedFor) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = managed_memory();
    cudaStream_t const own = stream();
    ok(cudaMemset(data, 0, size));
    kernel(own, writes(data));
    if (waits) ask_until_done([&] { return cudaStreamQuery(own); });
    host(reads(data));
  });
}

TEST_F(OrderOfEvents, AnEventThatIsAskedUntilItIsDoneIsWaitedFor) {
  for (const unsigned int flags : {0U + cudaEventDefault, 0U + cudaEventBlockingSync})
    expect_wait_is_needed([&](bool waits) {
      std::byte* const data = managed_memory();
      cudaStream_t const own = stream();
      cudaEvent_t const end = event(flags);
      ok(cudaMemset(data, 0, size));
      kernel(own, writes(data));
      ok(cudaEventRecord(end, own));
      if (waits) ask_until_done([&] { return cudaEventQuery(end); });
      host(reads(data));
    });
}

TEST_F(OrderOfEvents, WhatIsSentWaitsForAnEventThatIsAskedUntilItIsDone) {
  expect_wait_is_needed([&](bool waits) {
    std::byte* const data = managed_memory();
    cudaStream_t const own = stream();
    ok(cudaMemset(data, 0, size));
    kernel(own, writes(data));
    cudaEvent_t const end = recorded(own);
    if (waits) ask_until_done([&] { return cudaEventQuery(end); });
    host(reads(data));
    ok(cudaEventDestroy(end));
  });
}

TEST_F(OrderOfEvents, AQueryThatFoundWorkPendingOrdersNothing) {
  expect_race([&] {
    std::byte* const data = managed_memory();
    cudaStream_t const own = stream();
    std::byte* const more = managed_memory();
    kernel(own, writes(data));
    cudaEvent_t const end = recorded(own);
    kernel(own, writes(more));
    ask_until_done([&] { return cudaEventQuery(end); });
    host(reads(more));
  });
}

TEST_F(OrderOfEvents, AnEventThatWasNotRecordedIsDoneAndOrdersNothing) {
  expect_race([&] {
    std::byte* const data = managed_memory();
    cudaEvent_t const unused = event();
    kernel(nullptr, writes(data));
    ok(cudaEventQuery(unused));
    ok(cudaEventSynchronize(unused));
    host(reads(data));
  });
}

}  // namespace
}  // namespace dlcert::shim
