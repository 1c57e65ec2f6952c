// SPDX-License-Identifier: Apache-2.0
//
// Compiled for the per-thread default stream: the vendor's header renames what a program calls, and
// handle 0 is that stream.

#include <array>

#include "registered_code.hpp"
#include "shim_fixture.hpp"
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#include "newest_forms.hpp"
#endif

namespace dlcert::shim {
namespace {

class PerThreadTest : public ShimTest {
 protected:
  // The streams that the driver was told, of calls that are told one.
  std::vector<driver::Stream> streams(const std::vector<Call>& trace) {
    std::vector<driver::Stream> found;
    for (const Call& call : trace)
      if (call.function != "attributes" && call.function != "current_device" &&
          call.function != "fill")
        found.push_back(call.stream);
    return found;
  }

  void expect_per_thread(const std::vector<Call>& trace) {
    const std::vector<driver::Stream> told = streams(trace);
    EXPECT_FALSE(told.empty());
    for (const driver::Stream stream : told)
      EXPECT_EQ(stream, driver::Stream::per_thread);
  }

  std::byte* memory_ = device_memory(64);
  std::array<std::byte, 64> host_{};
};

TEST_F(PerThreadTest, Copies) {
  expect_per_thread(traced([&] {
    EXPECT_EQ(cudaMemcpyAsync(memory_, host_.data(), 64, cudaMemcpyHostToDevice, nullptr),
              cudaSuccess);
  }));
}

TEST_F(PerThreadTest, CopiesThatBlock) {
  expect_per_thread(traced([&] {
    EXPECT_EQ(cudaMemcpy(memory_, host_.data(), 64, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(host_.data(), memory_, 64, cudaMemcpyDeviceToHost), cudaSuccess);
  }));
}

TEST_F(PerThreadTest, FillsThatBlock) {
  expect_per_thread(traced([&] { EXPECT_EQ(cudaMemset(memory_, 4, 64), cudaSuccess); }));
  ASSERT_EQ(cudaMemcpy(host_.data(), memory_, 64, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host_[63], std::byte{4});
}

TEST_F(PerThreadTest, Boxes) {
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {host_.data(), 4, 4, 2};
  copy.dstPtr = {memory_, 4, 4, 2};
  copy.extent = {4, 2, 2};
  copy.kind = cudaMemcpyHostToDevice;
  expect_per_thread(traced([&] {
    EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
    EXPECT_EQ(cudaMemset3D({memory_, 4, 4, 2}, 1, {4, 2, 2}), cudaSuccess);
  }));
}

TEST_F(PerThreadTest, Symbols) {
  int shadow = 0;
  const void* const symbol = &shadow;
  RegisteredCode code;
  code.add_variable(&shadow, "variable", sizeof shadow);
  const auto of_work = [](std::vector<Call> trace) {
    std::erase_if(trace, [](const Call& call) { return call.function == "device_variable"; });
    return trace;
  };
  expect_per_thread(of_work(traced([&] {
    EXPECT_EQ(cudaMemcpyToSymbol(symbol, host_.data(), 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpyFromSymbol(host_.data(), symbol, 4, 0, cudaMemcpyDeviceToHost),
              cudaSuccess);
  })));
}

TEST_F(PerThreadTest, Streams) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  expect_per_thread(traced([&] {
    EXPECT_EQ(cudaStreamWaitEvent(nullptr, event, 0), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
  }));
}

TEST_F(PerThreadTest, OtherStreamsStayThemselves) {
  const cudaStream_t other = new_stream();
  const std::vector<Call> trace =
      traced([&] { EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess); });
  ASSERT_EQ(trace.size(), 1u);
  EXPECT_EQ(trace[0].stream, as_driver_stream(other));
}

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
TEST_F(PerThreadTest, WhatHipHasNoSecondNameFor) {
  cudaEvent_t event = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  expect_per_thread(traced([&] {
    EXPECT_EQ(cudaMemsetAsync(memory_, 1, 64, nullptr), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
    EXPECT_EQ(cudaLaunchHostFunc(
                  nullptr, [](void*) {}, nullptr),
              cudaSuccess);
    EXPECT_EQ(cudaMallocAsync(&memory, 64, nullptr), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(memory, nullptr), cudaSuccess);
    EXPECT_EQ(cudaMemset3DAsync({memory_, 4, 4, 2}, 1, {4, 2, 2}, nullptr), cudaSuccess);
  }));
}

TEST_F(PerThreadTest, WhatCudaAloneHas) {
  void* managed = nullptr;
  int device = -1;
  std::array<void*, 1> to{memory_};
  std::array<const void*, 1> from{host_.data()};
  std::array<std::size_t, 1> bytes{64}, begins{0};
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  ASSERT_EQ(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal), cudaSuccess);
  expect_per_thread(traced([&] {
    EXPECT_EQ(cudaStreamGetDevice(nullptr, &device), cudaSuccess);
    EXPECT_EQ(cudaMemPrefetchAsync(managed, 64, {cudaMemLocationTypeHost, 0}, 0, nullptr),
              cudaSuccess);
    EXPECT_EQ(cudaStreamAttachMemAsync(nullptr, managed, 0, cudaMemAttachSingle), cudaSuccess);
    EXPECT_EQ(cudaMemcpyBatchAsync(to.data(), from.data(), bytes.data(), 1, &attributes,
                                   begins.data(), 1, nullptr),
              cudaSuccess);
  }));
}
#endif

}  // namespace
}  // namespace dlcert::shim
