// SPDX-License-Identifier: Apache-2.0
//
// Batches of copies, and copies between devices in three dimensions. Source: CUDA Runtime API,
// cudaMemcpyBatchAsync, cudaMemcpy3DBatchAsync, cudaMemcpy3DPeer; that a batch cannot be captured
// and leaves the capture whole was measured in rapidsai/rmm#2518.

#include <array>
#include <cstring>

#include "newest_forms.hpp"
#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

class Batches : public ShimTest {
 protected:
  // Two copies of 8 bytes each from `from` to `to_`, 16 bytes apart.
  cudaError_t copy(std::byte* from, cudaMemcpySrcAccessOrder order, cudaStream_t stream) {
    std::array<void*, 2> to{to_, to_ + 16};
    std::array<const void*, 2> sources{from, from + 16};
    std::array<std::size_t, 2> bytes{8, 8};
    std::array<std::size_t, 1> begins{0};
    cudaMemcpyAttributes attributes{};
    attributes.srcAccessOrder = order;
    return cudaMemcpyBatchAsync(to.data(), sources.data(), bytes.data(), 2, &attributes,
                                begins.data(), 1, stream);
  }
  std::byte* pinned() {
    void* memory = nullptr;
    EXPECT_EQ(cudaMallocHost(&memory, 64), cudaSuccess);
    std::memset(memory, 5, 64);
    return static_cast<std::byte*>(memory);
  }
  int visible(std::size_t offset) { return std::to_integer<int>(driver_.view(to_)[offset]); }

  std::byte* to_ = device_memory(64);
};

TEST_F(Batches, ABatchIsOrderedInItsStream) {
  const cudaStream_t stream = new_stream();
  ASSERT_EQ(cudaMemsetAsync(to_, 1, 64, stream), cudaSuccess);
  ASSERT_EQ(copy(pinned(), cudaMemcpySrcAccessOrderStream, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(visible(7), 5);
  EXPECT_EQ(visible(8), 1);
  EXPECT_EQ(visible(23), 5);
  EXPECT_TRUE(driver_.take_races().empty());
}

TEST_F(Batches, ASourceMayBeReadDuringTheCall) {
  const cudaStream_t stream = new_stream();
  std::byte* const source = pinned();
  ASSERT_EQ(copy(source, cudaMemcpySrcAccessOrderDuringApiCall, stream), cudaSuccess);
  std::memset(source, 9, 64);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(visible(0), 5);
}

TEST_F(Batches, ASourceInTheOrderOfTheStreamIsReadThere) {
  const cudaStream_t stream = new_stream();
  std::byte* const source = pinned();
  ASSERT_EQ(copy(source, cudaMemcpySrcAccessOrderStream, stream), cudaSuccess);
  std::memset(source, 9, 64);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(visible(0), 9);
}

TEST_F(Batches, NoGraphHoldsABatchAndTheCaptureGoesOn) {
  const cudaStream_t stream = new_stream();
  std::byte* const source = pinned();
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(copy(source, cudaMemcpySrcAccessOrderStream, stream),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
}

TEST_F(Batches, AnOrderAndAStreamHaveToBeNamed) {
  std::byte* const source = pinned();
  const cudaStream_t stream = new_stream();
  EXPECT_EQ(copy(source, cudaMemcpySrcAccessOrderInvalid, stream), cudaErrorInvalidValue);
  EXPECT_EQ(copy(source, cudaMemcpySrcAccessOrderAny, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(copy(source, cudaMemcpySrcAccessOrderAny, cudaStreamLegacy), cudaErrorInvalidValue);
  EXPECT_EQ(copy(source, cudaMemcpySrcAccessOrderAny, cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(driver_.pending(), 2u);
}

TEST_F(Batches, AttributesCoverTheBatch) {
  const cudaStream_t stream = new_stream();
  std::byte* const source = pinned();
  std::array<void*, 2> to{to_, to_ + 16};
  std::array<const void*, 2> sources{source, source + 16};
  std::array<std::size_t, 2> bytes{8, 8};
  std::array<cudaMemcpyAttributes, 3> attributes{};
  for (auto& each : attributes)
    each.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  const auto copy_with = [&](std::vector<std::size_t> begins) {
    return cudaMemcpyBatchAsync(to.data(), sources.data(), bytes.data(), 2, attributes.data(),
                                begins.data(), begins.size(), stream);
  };
  EXPECT_EQ(copy_with({0, 1}), cudaSuccess);
  EXPECT_EQ(copy_with({1}), cudaErrorInvalidValue);
  EXPECT_EQ(copy_with({0, 0}), cudaErrorInvalidValue);
  EXPECT_EQ(copy_with({0, 2}), cudaErrorInvalidValue);
  EXPECT_EQ(copy_with({0, 1, 2}), cudaErrorInvalidValue);
  EXPECT_EQ(copy_with({}), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyBatchAsync(nullptr, sources.data(), bytes.data(), 2, attributes.data(),
                                 bytes.data(), 1, stream),
            cudaErrorInvalidValue);
}

// ---- three dimensions ---------------------------------------------------------------------------

class Batches3D : public Batches {
 protected:
  cudaMemcpy3DBatchOp operation(std::byte* from) {
    cudaMemcpy3DBatchOp made{};
    made.src.type = made.dst.type = cudaMemcpyOperandTypePointer;
    made.src.op.ptr = {from, 0, 0, {}};
    made.dst.op.ptr = {to_, 8, 3, {}};
    made.extent = {4, 2, 2};
    made.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    return made;
  }
  cudaError_t copy_3d(cudaMemcpy3DBatchOp made) {
    return cudaMemcpy3DBatchAsync(1, &made, 0, cudaStreamPerThread);
  }
};

TEST_F(Batches3D, LengthsOfZeroAreThoseOfTheCopy) {
  std::byte* const source = pinned();
  for (int each = 0; each < 16; ++each)
    source[each] = static_cast<std::byte>(each + 1);
  ASSERT_EQ(copy_3d(operation(source)), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(visible(8), 5);
  EXPECT_EQ(visible(24), 9);
  EXPECT_EQ(visible(35), 16);
}

TEST_F(Batches3D, LengthsHoldTheCopy) {
  std::byte* const source = pinned();
  cudaMemcpy3DBatchOp wrong = operation(source);
  wrong.dst.op.ptr.rowLength = 3;
  EXPECT_EQ(copy_3d(wrong), cudaErrorInvalidValue);
  wrong = operation(source);
  wrong.dst.op.ptr.layerHeight = 1;
  EXPECT_EQ(copy_3d(wrong), cudaErrorInvalidValue);
  wrong = operation(source);
  wrong.extent.depth = 0;
  EXPECT_EQ(copy_3d(wrong), cudaErrorInvalidValue);
  wrong = operation(source);
  wrong.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  EXPECT_EQ(copy_3d(wrong), cudaErrorInvalidValue);
  wrong = operation(source);
  wrong.src.type = cudaMemcpyOperandTypeArray;
  EXPECT_EQ(copy_3d(wrong), cudaErrorNotSupported);
  cudaMemcpy3DBatchOp right = operation(source);
  EXPECT_EQ(cudaMemcpy3DBatchAsync(1, &right, 1, cudaStreamPerThread), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy3DBatchAsync(0, &right, 0, cudaStreamPerThread), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy3DBatchAsync(1, &right, 0, nullptr), cudaErrorInvalidValue);
}

// ---- between devices ----------------------------------------------------------------------------

class Peers3D : public ShimTest {
 protected:
  cudaMemcpy3DPeerParms parameters() {
    EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
    from_ = device_memory(64);
    EXPECT_EQ(cudaStreamCreate(&remote_), cudaSuccess);
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    to_ = device_memory(64);
    cudaMemcpy3DPeerParms copy{};
    copy.srcPtr = {from_, 8, 4, 4};
    copy.srcDevice = 1;
    copy.dstPtr = {to_, 8, 4, 4};
    copy.dstDevice = 0;
    copy.extent = {4, 2, 2};
    return copy;
  }

  std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;
  cudaStream_t remote_ = nullptr;
};

TEST_F(Peers3D, ACopyIsOrderedOnBothDevices) {
  const cudaMemcpy3DPeerParms copy = parameters();
  ASSERT_EQ(cudaMemsetAsync(from_, 6, 64, remote_), cudaSuccess);
  ASSERT_EQ(cudaMemcpy3DPeer(&copy), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(from_, 7, 64, remote_), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(std::to_integer<int>(driver_.view(to_)[43]), 6);
  EXPECT_TRUE(driver_.take_races().empty());
}

TEST_F(Peers3D, AnAsynchronousCopyIsOrderedInItsStreamAlone) {
  const cudaMemcpy3DPeerParms copy = parameters();
  ASSERT_EQ(cudaMemsetAsync(from_, 6, 64, remote_), cudaSuccess);
  ASSERT_EQ(cudaMemcpy3DPeerAsync(&copy, new_stream()), cudaSuccess);
  EXPECT_EQ(driver_.take_races().size(), 1u);
}

TEST_F(Peers3D, TheDevicesHaveToBeThere) {
  cudaMemcpy3DPeerParms copy = parameters();
  copy.srcDevice = 2;
  EXPECT_EQ(cudaMemcpy3DPeer(&copy), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemcpy3DPeerAsync(&copy, nullptr), cudaErrorInvalidDevice);
  copy = parameters();
  copy.srcPtr.pitch = 3;
  EXPECT_EQ(cudaMemcpy3DPeer(&copy), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy3DPeer(nullptr), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace dlcert::shim
