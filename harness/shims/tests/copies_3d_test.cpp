// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills in three dimensions. Source: CUDA Runtime API, cudaMemcpy3D, cudaMemset3D,
// cudaMalloc3D.

#include <array>
#include <cstring>

#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

constexpr std::size_t width = 3, height = 2, depth = 2;

class Copies3D : public ShimTest {
 protected:
  // Zeros for `extent`.
  static cudaPitchedPtr pitched() {
    cudaPitchedPtr memory{};
    EXPECT_EQ(cudaMalloc3D(&memory, {width, height, depth}), cudaSuccess);
    EXPECT_EQ(cudaMemset(memory.ptr, 0, memory.pitch * height * depth), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return memory;
  }

  using Bytes = std::array<unsigned char, width * height * depth>;

  cudaMemcpy3DParms to_host(Bytes& to, const cudaPitchedPtr& from) const {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = from;
    copy.dstPtr = {to.data(), width, width, height};
    copy.extent = {width, height, depth};
    copy.kind = cudaMemcpyDeviceToHost;
    return copy;
  }
  cudaMemcpy3DParms to_device(const cudaPitchedPtr& to, Bytes& from) const {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = {from.data(), width, width, height};
    copy.dstPtr = to;
    copy.extent = {width, height, depth};
    copy.kind = cudaMemcpyHostToDevice;
    return copy;
  }

  static Bytes counting() {
    Bytes bytes{};
    for (std::size_t each = 0; each < bytes.size(); ++each)
      bytes[each] = static_cast<unsigned char>(each + 1);
    return bytes;
  }
};

TEST_F(Copies3D, MemoryHasRoomForItsRowsAndSlices) {
  const cudaPitchedPtr memory = pitched();
  EXPECT_GE(memory.pitch, width);
  EXPECT_EQ(memory.xsize, width);
  EXPECT_EQ(memory.ysize, height);
  EXPECT_EQ(cudaMalloc3D(nullptr, {width, height, depth}), cudaErrorInvalidValue);
  cudaPitchedPtr none{};
  EXPECT_EQ(cudaMalloc3D(&none, {width, SIZE_MAX, 2}), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(memory.ptr), cudaSuccess);
}

TEST_F(Copies3D, ACopyThereAndBackKeepsTheBytes) {
  const cudaPitchedPtr memory = pitched();
  Bytes source = counting(), found{};
  const cudaMemcpy3DParms there = to_device(memory, source);
  const cudaMemcpy3DParms back = to_host(found, memory);
  ASSERT_EQ(cudaMemcpy3D(&there), cudaSuccess);
  ASSERT_EQ(cudaMemcpy3D(&back), cudaSuccess);
  EXPECT_EQ(found, source);
}

TEST_F(Copies3D, PositionsChooseAPart) {
  const cudaPitchedPtr memory = pitched();
  Bytes source = counting(), found{};
  cudaMemcpy3DParms there = to_device(memory, source);
  there.srcPos = there.dstPos = {1, 1, 1};
  there.extent = {2, 1, 1};
  const cudaMemcpy3DParms back = to_host(found, memory);
  ASSERT_EQ(cudaMemcpy3D(&there), cudaSuccess);
  ASSERT_EQ(cudaMemcpy3D(&back), cudaSuccess);
  Bytes expected{};
  expected[10] = 11;
  expected[11] = 12;
  EXPECT_EQ(found, expected);
}

TEST_F(Copies3D, AFillReachesItsBoxAlone) {
  const cudaPitchedPtr memory = pitched();
  Bytes found{};
  ASSERT_EQ(cudaMemset3D(memory, 7, {2, 1, 2}), cudaSuccess);
  const cudaMemcpy3DParms back = to_host(found, memory);
  ASSERT_EQ(cudaMemcpy3D(&back), cudaSuccess);
  EXPECT_EQ(found, (Bytes{7, 7, 0, 0, 0, 0, 7, 7, 0, 0, 0, 0}));
}

TEST_F(Copies3D, WorkInAStreamIsOrderedThere) {
  const cudaPitchedPtr memory = pitched();
  const cudaStream_t stream = new_stream();
  Bytes found{};
  const cudaMemcpy3DParms back = to_host(found, memory);
  ASSERT_EQ(cudaMemset3DAsync(memory, 7, {width, height, depth}, stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpy3DAsync(&back, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(found[11], 7);
  EXPECT_TRUE(driver_.take_races().empty());
}

TEST_F(Copies3D, PartsWithoutACommonByteDoNotRace) {
  cudaPitchedPtr memory = pitched();
  ASSERT_EQ(cudaMemset3DAsync(memory, 1, {1, height, depth}, new_stream()), cudaSuccess);
  memory.ptr = static_cast<std::byte*>(memory.ptr) + 1;
  ASSERT_EQ(cudaMemset3DAsync(memory, 2, {1, height, depth}, new_stream()), cudaSuccess);
  EXPECT_TRUE(driver_.take_races().empty());
  ASSERT_EQ(cudaMemset3DAsync(memory, 3, {1, 1, 1}, new_stream()), cudaSuccess);
  EXPECT_EQ(driver_.take_races().size(), 1u);
}

TEST_F(Copies3D, AFillIsOneOperation) {
  const cudaPitchedPtr memory = pitched();
  const auto trace = traced([&] {
    ASSERT_EQ(cudaMemset3DAsync(memory, 1, {width, height, depth}, new_stream()), cudaSuccess);
  });
  EXPECT_EQ(calls_of(trace, "fill_box_async").size(), 1u);
}

// Device to host returns when the bytes are there, device to device before that.
TEST_F(Copies3D, WhatBlocksIsWhatBlocksInOneDimension) {
  const cudaPitchedPtr memory = pitched(), other = pitched();
  Bytes found{};
  const cudaMemcpy3DParms back = to_host(found, memory);
  cudaMemcpy3DParms across = back;
  across.dstPtr = other;
  across.kind = cudaMemcpyDeviceToDevice;
  const auto waits = [&](const cudaMemcpy3DParms& copy) {
    const auto trace = traced([&] { EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess); });
    return std::ranges::any_of(trace, [](const Call& call) { return call.waited; });
  };
  EXPECT_TRUE(waits(back));
  EXPECT_FALSE(waits(across));
}

TEST_F(Copies3D, AnEmptyBoxIsCopiedAtOnce) {
  const cudaPitchedPtr memory = pitched();
  Bytes found{};
  cudaMemcpy3DParms back = to_host(found, memory);
  back.extent = {width, 0, depth};
  EXPECT_EQ(cudaMemcpy3D(&back), cudaSuccess);
}

// ---- errors -------------------------------------------------------------------------------------

TEST_F(Copies3D, OneSourceAndOneTargetHaveToBeNamed) {
  const cudaPitchedPtr memory = pitched();
  Bytes found{};
  cudaMemcpy3DParms copy = to_host(found, memory);
  EXPECT_EQ(cudaMemcpy3D(nullptr), cudaErrorInvalidValue);
  copy.srcPtr.ptr = nullptr;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
  copy = to_host(found, memory);
  copy.dstPtr.ptr = nullptr;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
  copy = to_host(found, memory);
  copy.srcArray = static_cast<decltype(copy.srcArray)>(memory.ptr);
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
}

TEST_F(Copies3D, ArraysAreNotModelled) {
  const cudaPitchedPtr memory = pitched();
  Bytes found{};
  cudaMemcpy3DParms copy = to_host(found, memory);
  copy.srcArray = static_cast<decltype(copy.srcArray)>(memory.ptr);
  copy.srcPtr = {};
  static_cast<void>(driver_.take_limits());
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorNotSupported);
  ASSERT_EQ(driver_.take_limits().size(), 1u);
}

TEST_F(Copies3D, PitchesHoldTheRowsAndAreNotTooLarge) {
  const cudaPitchedPtr memory = pitched();
  Bytes found{};
  cudaMemcpy3DParms copy = to_host(found, memory);
  copy.dstPtr.pitch = width - 1;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidPitchValue);
  copy = to_host(found, memory);
  copy.srcPtr.pitch = std::size_t{1} << 31;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidPitchValue);
  copy = to_host(found, memory);
  copy.srcPtr.ysize = height - 1;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
  cudaPitchedPtr narrow = memory;
  narrow.pitch = width - 1;
  EXPECT_EQ(cudaMemset3D(narrow, 1, {width, height, depth}), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset3D(narrow, 1, {width, 1, 1}), cudaSuccess);
}

TEST_F(Copies3D, TheDirectionHasToBeOne) {
  const cudaPitchedPtr memory = pitched();
  Bytes found{};
  cudaMemcpy3DParms copy = to_host(found, memory);
  copy.kind = numbered<decltype(copy.kind)>(7);
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy3DAsync(&copy, new_stream()), cudaErrorInvalidMemcpyDirection);
}

TEST_F(Copies3D, ACopyBeyondItsMemoryIsRefused) {
  const cudaPitchedPtr memory = pitched();
  Bytes found{};
  cudaMemcpy3DParms copy = to_host(found, memory);
  copy.extent.depth = depth + 1;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
}

TEST_F(Copies3D, CopiesAreCaptured) {
  const cudaPitchedPtr memory = pitched();
  const cudaStream_t stream = new_stream();
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaMemset3DAsync(memory, 7, {width, height, depth}, stream), cudaSuccess);
  cudaPitchedPtr more{};
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaMalloc3D(&more, {width, height, depth}), cudaErrorStreamCaptureUnsupported);
  EXPECT_NE(cudaStreamEndCapture(stream, &graph), cudaSuccess);
}

}  // namespace
}  // namespace dlcert::shim
