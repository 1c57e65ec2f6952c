// SPDX-License-Identifier: Apache-2.0
//
// What CUDA 12 has beside the entry points of 13.

#include <array>
#include <cstring>

#include "shim_fixture.hpp"

// The first form of an entry point, which the header hides behind that of the second.
#undef cudaStreamGetCaptureInfo
extern "C" cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                cudaStreamCaptureStatus* status_out,
                                                unsigned long long* id_out);

// That of CUDA 11, whose structure is another.
#undef cudaGetDeviceProperties
extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int device);

namespace dlcert::shim {
namespace {

using Cuda12Test = ShimTest;

TEST_F(Cuda12Test, EachFormOfTheCaptureInfoTellsWhetherAStreamIsCaptured) {
  const cudaStream_t stream = new_stream();
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  for (const int form : {1, 2, 3}) {
    auto status = cudaStreamCaptureStatusNone;
    const cudaError_t answer =
        form == 1 ? cudaStreamGetCaptureInfo(stream, &status, nullptr)
        : form == 2
            ? cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, nullptr, nullptr)
            : cudaStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, nullptr, nullptr,
                                          nullptr);
    EXPECT_EQ(answer, cudaSuccess) << form;
    EXPECT_EQ(status, cudaStreamCaptureStatusActive) << form;
  }
  EXPECT_EQ(cudaStreamGetCaptureInfo(stream, nullptr, nullptr), cudaErrorInvalidValue);
}

TEST_F(Cuda12Test, EachFormOfTheCaptureInfoTellsTheSame) {
  const cudaStream_t stream = new_stream();
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(device_memory(64), 1, 64, stream), cudaSuccess);
  auto status = cudaStreamCaptureStatusNone;
  std::array<unsigned long long, 3> ids{};
  std::array<cudaGraph_t, 2> graphs{};
  std::array<const cudaGraphNode_t*, 2> nodes{};
  std::array<std::size_t, 2> counts{};
  const cudaGraphEdgeData* edges = nullptr;
  EXPECT_EQ(cudaStreamGetCaptureInfo(stream, &status, ids.data()), cudaSuccess);
  EXPECT_EQ(cudaStreamGetCaptureInfo_v2(stream, &status, &ids[1], graphs.data(), nodes.data(),
                                        counts.data()),
            cudaSuccess);
  ASSERT_EQ(counts[0], 1u);
  const cudaGraphNode_t node = *nodes[0];
  EXPECT_EQ(cudaStreamGetCaptureInfo_v3(stream, &status, &ids[2], &graphs[1], &nodes[1], &edges,
                                        &counts[1]),
            cudaSuccess);
  ASSERT_EQ(counts[1], 1u);
  EXPECT_EQ(*nodes[1], node);
  EXPECT_EQ(edges->from_port, 0);
  EXPECT_EQ(graphs[0], graphs[1]);
  EXPECT_NE(ids[0], 0u);
  EXPECT_EQ(ids, (std::array{ids[0], ids[0], ids[0]}));
}

TEST_F(Cuda12Test, EdgesOfAGraphHaveDataInTheirSecondForm) {
  const cudaStream_t stream = new_stream();
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  for (const int value : {1, 2})
    ASSERT_EQ(cudaMemsetAsync(device_memory(64), value, 64, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  std::array<cudaGraphNode_t, 2> from{}, to{};
  std::size_t count = 1;
  cudaGraphEdgeData edge;
  std::memset(&edge, 0xff, sizeof edge);
  EXPECT_EQ(cudaGraphGetEdges(graph, from.data(), to.data(), &count), cudaSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cudaGraphGetEdges_v2(graph, &from[1], &to[1], &edge, &count), cudaSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(from[0], from[1]);
  EXPECT_EQ(to[0], to[1]);
  EXPECT_EQ(edge.type, 0);
  cudaGraphNode_t before = nullptr, after = nullptr;
  EXPECT_EQ(cudaGraphNodeGetDependencies(to[0], &before, &count), cudaSuccess);
  EXPECT_EQ(before, from[0]);
  EXPECT_EQ(cudaGraphNodeGetDependentNodes_v2(from[0], &after, &edge, &count), cudaSuccess);
  EXPECT_EQ(after, to[0]);
}

TEST_F(Cuda12Test, PropertiesOfADeviceHaveTheSecondForm) {
  cudaDeviceProp found;
  std::memset(&found, 0xff, sizeof found);
  EXPECT_EQ(cudaGetDeviceProperties_v2(&found, 1), cudaSuccess);
  EXPECT_EQ(found.major, 9);
  EXPECT_EQ(found.pciBusID, 17);
  EXPECT_EQ(found.unifiedFunctionPointers, 0);
  EXPECT_EQ(found.reserved[0], 0);
  static_cast<void>(driver_.take_limits());
  EXPECT_EQ(cudaGetDeviceProperties(&found, 1), cudaErrorNotSupported);
  EXPECT_EQ(driver_.take_limits(),
            std::vector<std::string>{"cudaGetDeviceProperties is not modelled"});
}

TEST_F(Cuda12Test, TimesBetweenEventsHaveTwoNames) {
  cudaEvent_t start = nullptr, end = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime_v2(&milliseconds, start, end), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
}

TEST_F(Cuda12Test, TheFormerNameOfTheWaitForADeviceWaits) {
  std::byte* const memory = device_memory(64);
  const cudaStream_t stream = new_stream();
  ASSERT_EQ(cudaMemsetAsync(memory, 1, 64, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(cudaThreadSynchronize(), cudaSuccess);
#pragma GCC diagnostic pop
  EXPECT_EQ(driver_.pending(), 0u);
}

}  // namespace
}  // namespace dlcert::shim
