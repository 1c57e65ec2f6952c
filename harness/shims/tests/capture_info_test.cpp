// SPDX-License-Identifier: Apache-2.0
//
// What a program may ask of a capture and of a graph. Source: CUDA Runtime API 13.0,
// cudaStreamGetCaptureInfo, cudaStreamUpdateCaptureDependencies, "Graph Management".

#include <array>
#include <atomic>
#include <fstream>
#include <iterator>
#include <thread>

#include "shim_fixture.hpp"
#include "shims/cuda/cuda_graph_names.hpp"

namespace dlcert::shim {
namespace {

struct Info {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
};

class CaptureInfoTest : public ShimTest {
 protected:
  static Info info(cudaStream_t of) {
    Info found;
    EXPECT_EQ(cudaStreamGetCaptureInfo(of, &found.status, &found.id, &found.graph, &found.nodes,
                                       &found.edges, &found.count),
              cudaSuccess);
    return found;
  }
  void begin() {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), cudaSuccess);
  }
  void fill() { ASSERT_EQ(cudaMemsetAsync(data_, 1, 64, stream_), cudaSuccess); }
  cudaGraph_t end() {
    cudaGraph_t made = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &made), cudaSuccess);
    return made;
  }

  cudaStream_t stream_ = new_stream();
  std::byte* data_ = device_memory(64);
};

// As PyTorch's allocator asks.
TEST_F(CaptureInfoTest, ACaptureHasAnIdAndAGraphWithNodes) {
  begin();
  const Info at_first = info(stream_);
  EXPECT_EQ(at_first.status, cudaStreamCaptureStatusActive);
  EXPECT_NE(at_first.id, 0u);
  EXPECT_EQ(at_first.count, 0u);
  fill();
  const Info found = info(stream_);
  EXPECT_EQ(found.id, at_first.id);
  ASSERT_EQ(found.count, 1u);
  EXPECT_EQ(found.edges[0].type, 0);
  std::size_t count = 0;
  ASSERT_EQ(cudaGraphGetNodes(found.graph, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(end(), found.graph);
  begin();
  EXPECT_NE(info(stream_).id, found.id);
}

TEST_F(CaptureInfoTest, EverythingButTheStatusIsOptional) {
  auto status = cudaStreamCaptureStatusActive;
  ASSERT_EQ(cudaStreamGetCaptureInfo(stream_, &status, nullptr, nullptr, nullptr, nullptr, nullptr),
            cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  begin();
  EXPECT_EQ(cudaStreamGetCaptureInfo(stream_, &status, nullptr, nullptr, nullptr, nullptr, nullptr),
            cudaSuccess);
  EXPECT_EQ(cudaStreamGetCaptureInfo(stream_, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
            cudaErrorInvalidValue);
  const cudaGraphEdgeData* edges = nullptr;
  EXPECT_EQ(cudaStreamGetCaptureInfo(stream_, &status, nullptr, nullptr, nullptr, &edges, nullptr),
            cudaErrorInvalidValue)
      << "edges without nodes";
}

TEST_F(CaptureInfoTest, TheLegacyStreamMayNotBeAskedWhileABlockingOneCaptures) {
  cudaStream_t blocking = nullptr;
  ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed), cudaSuccess);
  auto status = cudaStreamCaptureStatusNone;
  EXPECT_EQ(static_cast<int>(cudaStreamGetCaptureInfo(nullptr, &status, nullptr, nullptr, nullptr,
                                                      nullptr, nullptr)),
            906);
}

TEST_F(CaptureInfoTest, ListsHaveTheRoomThatTheCallerGives) {
  begin();
  fill();
  fill();
  const cudaGraph_t graph = end();
  const cudaGraphNode_t untouched = std::bit_cast<cudaGraphNode_t>(std::uintptr_t{1});
  std::array nodes{untouched, untouched, untouched, untouched};
  std::size_t count = 3;
  ASSERT_EQ(cudaGraphGetNodes(graph, nodes.data(), &count), cudaSuccess);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(nodes[2], nullptr);
  EXPECT_EQ(nodes[3], untouched);
  std::array<cudaGraphNode_t, 1> root{};
  count = 1;
  ASSERT_EQ(cudaGraphGetRootNodes(graph, root.data(), &count), cudaSuccess);
  EXPECT_EQ(root[0], nodes[0]);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cudaGraphGetNodes(graph, nodes.data(), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphGetNodes(nullptr, nodes.data(), &count), cudaErrorInvalidValue);
}

TEST_F(CaptureInfoTest, EdgesLeadFromNodeToNode) {
  begin();
  fill();
  ASSERT_EQ(cudaMemcpyAsync(data_ + 32, data_, 32, cudaMemcpyDeviceToDevice, stream_), cudaSuccess);
  const cudaGraphNode_t last = info(stream_).nodes[0];
  const cudaGraph_t graph = end();
  std::size_t count = 1;
  cudaGraphNode_t from = nullptr, to = nullptr, neighbour = nullptr;
  cudaGraphEdgeData edge{};
  ASSERT_EQ(cudaGraphGetEdges(graph, &from, &to, &edge, &count), cudaSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(to, last);
  ASSERT_EQ(cudaGraphNodeGetDependencies(to, &neighbour, &edge, &count), cudaSuccess);
  EXPECT_EQ(neighbour, from);
  ASSERT_EQ(cudaGraphNodeGetDependentNodes(from, &neighbour, nullptr, &count), cudaSuccess);
  EXPECT_EQ(neighbour, to);
  EXPECT_EQ(cudaGraphGetEdges(graph, &from, nullptr, nullptr, &count), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphNodeGetDependencies(to, nullptr, &edge, &count), cudaErrorInvalidValue);
  auto type = cudaGraphNodeTypeEmpty;
  ASSERT_EQ(cudaGraphNodeGetType(from, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeMemset);
  ASSERT_EQ(cudaGraphNodeGetType(to, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeMemcpy);
  EXPECT_EQ(cudaGraphNodeGetType(to, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphNodeGetType(nullptr, &type), cudaErrorInvalidValue);
}

TEST_F(CaptureInfoTest, AGraphIsDrawn) {
  begin();
  fill();
  fill();
  const cudaGraph_t graph = end();
  const std::string path = testing::TempDir() + "dlcert_capture_info_test.dot";
  ASSERT_EQ(cudaGraphDebugDotPrint(graph, path.c_str(), 0), cudaSuccess);
  std::ifstream file{path};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_TRUE(text.starts_with("digraph")) << text;
  EXPECT_NE(text.find("MEMSET"), std::string::npos) << text;
  EXPECT_NE(text.find("->"), std::string::npos) << text;
  EXPECT_EQ(cudaGraphDebugDotPrint(graph, "/nowhere/at/all.dot", 0), cudaErrorOperatingSystem);
  EXPECT_EQ(cudaGraphDebugDotPrint(graph, nullptr, 0), cudaErrorInvalidValue);
}

// ---- dependencies that the program chooses ------------------------------------------------------

cudaError_t update(cudaStream_t stream, cudaGraphNode_t* nodes, std::size_t count,
                   unsigned int flags) {
#if CUDART_VERSION >= 13000
  return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
#else
  return cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags);
#endif
}

TEST_F(CaptureInfoTest, DependenciesAreAddedOrSet) {
  begin();
  fill();
  cudaGraphNode_t first = info(stream_).nodes[0];
  fill();
  ASSERT_EQ(update(stream_, &first, 1, cudaStreamAddCaptureDependencies), cudaSuccess);
  EXPECT_EQ(info(stream_).count, 2u);
  ASSERT_EQ(update(stream_, &first, 1, cudaStreamSetCaptureDependencies), cudaSuccess);
  const Info found = info(stream_);
  EXPECT_EQ(found.count, 1u);
  EXPECT_EQ(found.nodes[0], first);
  EXPECT_EQ(update(stream_, &first, 1, 2), cudaErrorInvalidValue);
  EXPECT_EQ(update(stream_, nullptr, 1, 0), cudaErrorInvalidValue);
  end();
  EXPECT_EQ(static_cast<int>(update(stream_, nullptr, 0, 0)), 401);
}

TEST_F(CaptureInfoTest, ExternalEventsAreNodes) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventRecordWithFlags(event, stream_, cudaEventRecordExternal),
            cudaErrorInvalidValue)
      << "nothing captures";
  EXPECT_EQ(cudaStreamWaitEvent(stream_, event, cudaEventWaitExternal), cudaErrorInvalidValue);
  begin();
  EXPECT_EQ(cudaEventRecordWithFlags(event, stream_, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamWaitEvent(stream_, event, 2), cudaErrorInvalidValue);
  ASSERT_EQ(cudaStreamWaitEvent(stream_, event, cudaEventWaitExternal), cudaSuccess);
  auto type = cudaGraphNodeTypeEmpty;
  ASSERT_EQ(cudaGraphNodeGetType(info(stream_).nodes[0], &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeWaitEvent);
  ASSERT_EQ(cudaEventRecordWithFlags(event, stream_, cudaEventRecordExternal), cudaSuccess);
  ASSERT_EQ(cudaGraphNodeGetType(info(stream_).nodes[0], &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeEventRecord);
}

// ---- user objects -------------------------------------------------------------------------------

TEST_F(CaptureInfoTest, AGraphHoldsAUserObject) {
  std::atomic<bool> ended = false;
  const auto end_it = [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; };
  cudaUserObject_t object = nullptr;
  ASSERT_EQ(cudaUserObjectCreate(&object, &ended, end_it, 1, cudaUserObjectNoDestructorSync),
            cudaSuccess);
  begin();
  ASSERT_EQ(cudaGraphRetainUserObject(info(stream_).graph, object, 1, cudaGraphUserObjectMove),
            cudaSuccess);
  const cudaGraph_t graph = end();
  ASSERT_EQ(cudaUserObjectRetain(object, 1), cudaSuccess);
  ASSERT_EQ(cudaUserObjectRelease(object, 1), cudaSuccess);
  EXPECT_FALSE(ended);
  ASSERT_EQ(cudaGraphReleaseUserObject(graph, object, 1), cudaSuccess);
  while (!ended)
    std::this_thread::yield();
}

TEST_F(CaptureInfoTest, UserObjectsHaveOneFlag) {
  cudaUserObject_t object = nullptr;
  const auto nothing = [](void*) {};
  EXPECT_EQ(cudaUserObjectCreate(&object, nullptr, nothing, 1, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaUserObjectCreate(nullptr, nullptr, nothing, 1, cudaUserObjectNoDestructorSync),
            cudaErrorInvalidValue);
  ASSERT_EQ(cudaUserObjectCreate(&object, nullptr, nothing, 1, cudaUserObjectNoDestructorSync),
            cudaSuccess);
  begin();
  EXPECT_EQ(cudaGraphRetainUserObject(info(stream_).graph, object, 1, 2), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace dlcert::shim
