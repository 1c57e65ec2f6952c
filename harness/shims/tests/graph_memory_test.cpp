// SPDX-License-Identifier: Apache-2.0
//
// Memory that graphs allocate, as stream capture makes it. Source: CUDA programming guide, "Graph
// Memory Nodes"; CUDA Runtime API 13.0, "Graph Management".

#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

class GraphMemoryTest : public ShimTest {
 protected:
  template <class Body>
  cudaGraph_t capture(Body&& body) {
    cudaGraph_t made = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
    body();
    EXPECT_EQ(cudaStreamEndCapture(stream_, &made), cudaSuccess);
    return made;
  }
  // Leaves data_ to others to free.
  cudaGraph_t producer() {
    return capture([&] {
      EXPECT_EQ(cudaMallocAsync(&data_, 64, stream_), cudaSuccess);
      EXPECT_EQ(cudaMemsetAsync(data_, 3, 64, stream_), cudaSuccess);
    });
  }
  static cudaGraphExec_t executable(cudaGraph_t graph, unsigned long long flags = 0) {
    cudaGraphExec_t made = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&made, graph, flags), cudaSuccess);
    return made;
  }
  static std::uint64_t get(cudaGraphMemAttributeType attribute) {
    std::uint64_t value = ~std::uint64_t{0};
    EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, attribute, &value), cudaSuccess);
    return value;
  }

  cudaStream_t stream_ = new_stream();
  void* data_ = nullptr;
};

TEST_F(GraphMemoryTest, ACaptureAllocatesUsesAndFrees) {
  std::byte* const out = device_memory(64);
  const cudaGraphExec_t x = executable(capture([&] {
    ASSERT_EQ(cudaMallocAsync(&data_, 64, stream_), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(data_, 3, 64, stream_), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(out, data_, 64, cudaMemcpyDeviceToDevice, stream_), cudaSuccess);
    ASSERT_EQ(cudaFreeAsync(data_, stream_), cudaSuccess);
  }));
  for (int run = 0; run < 3; ++run)
    ASSERT_EQ(cudaGraphLaunch(x, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(*driver_.view(out), std::byte{3});
  EXPECT_TRUE(driver_.take_races().empty());
}

TEST_F(GraphMemoryTest, APoolMayBeNamedInACapture) {
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 1), cudaSuccess);
  const cudaGraphExec_t x = executable(
      capture([&] { ASSERT_EQ(cudaMallocFromPoolAsync(&data_, 64, pool, stream_), cudaSuccess); }));
  ASSERT_EQ(cudaGraphLaunch(x, stream_), cudaSuccess);
  cudaPointerAttributes found{};
  ASSERT_EQ(cudaPointerGetAttributes(&found, data_), cudaSuccess);
  EXPECT_EQ(found.device, 1);
  std::uint64_t used = 1;
  ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 0u) << "the graph owns the memory";
}

TEST_F(GraphMemoryTest, WhatWasNotFreedForbidsTheNextLaunch) {
  const cudaGraphExec_t x = executable(producer());
  ASSERT_EQ(cudaGraphLaunch(x, stream_), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(x, stream_), cudaErrorInvalidValue);
  ASSERT_EQ(cudaFreeAsync(data_, stream_), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(x, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  ASSERT_EQ(cudaFree(data_), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(x, stream_), cudaSuccess);
}

TEST_F(GraphMemoryTest, AutomaticFreeAllowsTheNextLaunch) {
  cudaGraphExec_t x = nullptr;
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&x, producer(), cudaGraphInstantiateFlagAutoFreeOnLaunch),
            cudaSuccess);
  for (int run = 0; run < 3; ++run)
    ASSERT_EQ(cudaGraphLaunch(x, stream_), cudaSuccess);
  unsigned long long flags = 0;
  ASSERT_EQ(cudaGraphExecGetFlags(x, &flags), cudaSuccess);
  EXPECT_EQ(flags, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  EXPECT_TRUE(driver_.take_races().empty());
}

TEST_F(GraphMemoryTest, OnlyGraphMemoryIsFreedInACapture) {
  std::byte* const other = device_memory(64);
  capture([&] { EXPECT_EQ(cudaFreeAsync(other, stream_), cudaErrorInvalidValue); });
}

TEST_F(GraphMemoryTest, MemoryOfAGraphThatFreesItIsFreedByNobodyElse) {
  const cudaGraphExec_t x = executable(capture([&] {
    ASSERT_EQ(cudaMallocAsync(&data_, 64, stream_), cudaSuccess);
    ASSERT_EQ(cudaFreeAsync(data_, stream_), cudaSuccess);
  }));
  ASSERT_EQ(cudaGraphLaunch(x, stream_), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(data_, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(data_), cudaErrorInvalidValue);
}

// ---- instantiation ------------------------------------------------------------------------------

TEST_F(GraphMemoryTest, ThereIsOneExecutableAtATime) {
  const cudaGraph_t graph = producer();
  const cudaGraphExec_t x = executable(graph);
  cudaGraphInstantiateParams parameters{};
  cudaGraphExec_t second = nullptr;
  EXPECT_EQ(cudaGraphInstantiateWithParams(&second, graph, &parameters), cudaErrorNotSupported);
  EXPECT_EQ(parameters.result_out, cudaGraphInstantiateError);
  EXPECT_EQ(second, nullptr);
  ASSERT_EQ(cudaGraphExecDestroy(x), cudaSuccess);
  parameters.flags = cudaGraphInstantiateFlagUpload;
  parameters.uploadStream = stream_;
  ASSERT_EQ(cudaGraphInstantiateWithParams(&second, graph, &parameters), cudaSuccess);
  EXPECT_EQ(parameters.result_out, cudaGraphInstantiateSuccess);
  unsigned long long flags = 1;
  ASSERT_EQ(cudaGraphExecGetFlags(second, &flags), cudaSuccess);
  EXPECT_EQ(flags, 0u) << "uploading is no property of the executable";
  EXPECT_EQ(cudaGraphUpload(second, stream_), cudaSuccess);
  EXPECT_EQ(cudaGraphUpload(nullptr, stream_), cudaErrorInvalidValue);
}

TEST_F(GraphMemoryTest, FlagsThatExcludeEachOtherAreRefused) {
  const cudaGraph_t graph = capture([] {});
  cudaGraphExec_t made = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(
                &made, graph,
                cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagDeviceLaunch),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphInstantiate(&made, graph, cudaGraphInstantiateFlagUpload),
            cudaErrorInvalidValue)
      << "without a stream";
  EXPECT_EQ(cudaGraphInstantiate(&made, graph, cudaGraphInstantiateFlagUseNodePriority),
            cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiateWithParams(&made, graph, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphExecGetFlags(made, nullptr), cudaErrorInvalidValue);
}

// ---- what graphs hold ---------------------------------------------------------------------------

TEST_F(GraphMemoryTest, GraphsKeepTheirMemoryUntilItIsTrimmed) {
  const cudaGraphExec_t x = executable(producer());
  ASSERT_EQ(cudaGraphLaunch(x, stream_), cudaSuccess);
  EXPECT_GE(get(cudaGraphMemAttrUsedMemCurrent), 64u);
  ASSERT_EQ(cudaFreeAsync(data_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_GE(get(cudaGraphMemAttrReservedMemCurrent), 64u);
  ASSERT_EQ(cudaDeviceGraphMemTrim(0), cudaSuccess);
  EXPECT_EQ(get(cudaGraphMemAttrReservedMemCurrent), 0u);
  EXPECT_GE(get(cudaGraphMemAttrReservedMemHigh), 64u);
  std::uint64_t value = 0;
  ASSERT_EQ(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &value),
            cudaSuccess);
  EXPECT_EQ(get(cudaGraphMemAttrReservedMemHigh), 0u);
  EXPECT_EQ(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value),
            cudaErrorInvalidValue);
  value = 1;
  EXPECT_EQ(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &value),
            cudaErrorInvalidValue);
  EXPECT_EQ(static_cast<int>(cudaDeviceGraphMemTrim(9)), 101);
  EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, nullptr),
            cudaErrorInvalidValue);
}

// ---- memory of streams --------------------------------------------------------------------------

TEST_F(GraphMemoryTest, FreeOfPoolMemoryDoesNotWait) {
  ASSERT_EQ(cudaMallocAsync(&data_, 64, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(data_, 3, 64, stream_), cudaSuccess);
  const std::size_t pending = driver_.pending();
  ASSERT_EQ(cudaFree(data_), cudaSuccess);
  EXPECT_EQ(driver_.pending(), pending);
  EXPECT_FALSE(driver_.take_races().empty());
  EXPECT_EQ(cudaFree(data_), cudaErrorInvalidValue) << "twice";
}

}  // namespace
}  // namespace dlcert::shim
