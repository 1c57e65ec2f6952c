// SPDX-License-Identifier: Apache-2.0
//
// What streams tell of themselves. Source: CUDA Runtime API, cudaStreamGetDevice,
// cudaStreamGetAttribute, cudaStreamCopyAttributes, cudaDeviceGetStreamPriorityRange.

#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

constexpr int invalid_handle = 400;

class StreamAttributes : public ShimTest {
 protected:
  static cudaLaunchAttributeValue get(cudaStream_t stream, cudaLaunchAttributeID attribute) {
    cudaLaunchAttributeValue value{};
    EXPECT_EQ(cudaStreamGetAttribute(stream, attribute, &value), cudaSuccess);
    return value;
  }
  // One that has ended.
  static cudaStream_t stale() {
    const cudaStream_t stream = new_stream();
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    return stream;
  }
};

TEST_F(StreamAttributes, PrioritiesAreWithinTheRange) {
  int least = 1, greatest = 1, found = 1;
  ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_EQ(least, 0);
  EXPECT_EQ(greatest, -5);
  EXPECT_EQ(cudaDeviceGetStreamPriorityRange(nullptr, nullptr), cudaSuccess);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100), cudaSuccess);
  ASSERT_EQ(cudaStreamGetPriority(stream, &found), cudaSuccess);
  EXPECT_EQ(found, greatest);
  EXPECT_EQ(get(stream, cudaStreamAttributePriority).priority, greatest);
}

// A priority is a hint.
TEST_F(StreamAttributes, APriorityOrdersNothing) {
  cudaStream_t high = nullptr, low = nullptr;
  std::byte* const memory = device_memory(64);
  ASSERT_EQ(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -5), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, 0), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory, 1, 64, high), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory, 2, 64, low), cudaSuccess);
  EXPECT_EQ(driver_.take_races().size(), 1u);
}

TEST_F(StreamAttributes, AStreamTellsItsDevice) {
  int device = -1;
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const cudaStream_t stream = new_stream();
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(cudaStreamGetDevice(stream, &device), cudaSuccess);
  EXPECT_EQ(device, 1);
  ASSERT_EQ(cudaStreamGetDevice(nullptr, &device), cudaSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaStreamGetDevice(stream, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(static_cast<int>(cudaStreamGetDevice(stale(), &device)), invalid_handle);
}

TEST_F(StreamAttributes, WhatIsSetIsToldAndCopied) {
  const cudaStream_t first = new_stream(), second = new_stream();
  cudaLaunchAttributeValue value{};
  EXPECT_EQ(get(first, cudaStreamAttributeSynchronizationPolicy).syncPolicy, cudaSyncPolicyAuto);
  value.syncPolicy = cudaSyncPolicyYield;
  ASSERT_EQ(cudaStreamSetAttribute(first, cudaStreamAttributeSynchronizationPolicy, &value),
            cudaSuccess);
  EXPECT_EQ(get(first, cudaStreamAttributeSynchronizationPolicy).syncPolicy, cudaSyncPolicyYield);
  EXPECT_EQ(get(second, cudaStreamAttributeSynchronizationPolicy).syncPolicy, cudaSyncPolicyAuto);
  ASSERT_EQ(cudaStreamCopyAttributes(second, first), cudaSuccess);
  EXPECT_EQ(get(second, cudaStreamAttributeSynchronizationPolicy).syncPolicy, cudaSyncPolicyYield);
}

TEST_F(StreamAttributes, AStreamWithAHandleOfBeforeHasNoneOfItsAttributes) {
  driver_.set_recurring(true);
  const cudaStream_t stream = new_stream();
  cudaLaunchAttributeValue value{};
  value.syncPolicy = cudaSyncPolicySpin;
  ASSERT_EQ(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value),
            cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  const cudaStream_t again = new_stream();
  ASSERT_EQ(again, stream);
  EXPECT_EQ(get(again, cudaStreamAttributeSynchronizationPolicy).syncPolicy, cudaSyncPolicyAuto);
}

TEST_F(StreamAttributes, WhatIsNoneIsRefused) {
  const cudaStream_t stream = new_stream();
  cudaLaunchAttributeValue value{};
  constexpr auto policy = cudaStreamAttributeSynchronizationPolicy;
  EXPECT_EQ(cudaStreamGetAttribute(stream, cudaLaunchAttributeCooperative, &value),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamGetAttribute(stream, policy, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamSetAttribute(stream, policy, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamSetAttribute(stream, policy, &value), cudaErrorInvalidValue);
  EXPECT_EQ(static_cast<int>(cudaStreamGetAttribute(stale(), policy, &value)), invalid_handle);
  EXPECT_EQ(static_cast<int>(cudaStreamSetAttribute(stale(), policy, &value)), invalid_handle);
  EXPECT_EQ(static_cast<int>(cudaStreamCopyAttributes(stream, stale())), invalid_handle);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaStreamCopyAttributes(stream, new_stream()), cudaErrorInvalidValue);
}

TEST_F(StreamAttributes, ChangingAPriorityIsNotModelled) {
  const cudaLaunchAttributeValue value{};
  EXPECT_EQ(cudaStreamSetAttribute(new_stream(), cudaStreamAttributePriority, &value),
            cudaErrorNotSupported);
}

}  // namespace
}  // namespace dlcert::shim
