// SPDX-License-Identifier: Apache-2.0
//
// What is known of captures under way and of nodes. Source: CUDA Runtime API,
// cudaStreamGetCaptureInfo, cudaStreamUpdateCaptureDependencies, "Graph Management".

#include <array>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

using Nodes = std::vector<GraphNode>;

class GraphNodes : public Simulated {
 protected:
  void begin() { ok(driver_.begin_capture(s_, CaptureMode::relaxed)); }
  Graph end() {
    Graph made{};
    ok(driver_.end_capture(s_, made));
    return made;
  }
  CaptureInfo info(Stream of) {
    CaptureInfo found;
    ok(driver_.capture_info(of, found));
    return found;
  }
  GraphNode last(Stream of) { return info(of).dependencies.at(0); }
  NodeInfo node(GraphNode of) {
    NodeInfo found;
    ok(driver_.graph_node(of, found));
    return found;
  }
  std::vector<NodeInfo> nodes(Graph of) {
    std::vector<NodeInfo> found;
    ok(driver_.graph_nodes(of, found));
    return found;
  }

  std::byte* data_ = buffer();
  Stream s_ = stream();
};

TEST_F(GraphNodes, AStreamThatDoesNotCaptureHasNoMoreThanAStatus) {
  const CaptureInfo found = info(s_);
  EXPECT_EQ(found.status, CaptureStatus::none);
  EXPECT_EQ(found.graph, Graph{});
}

TEST_F(GraphNodes, EachCaptureHasAnIdOfItsOwn) {
  begin();
  const std::uint64_t first = info(s_).id;
  end();
  begin();
  EXPECT_NE(info(s_).id, first);
  EXPECT_NE(info(s_).id, 0u);
}

TEST_F(GraphNodes, TheStreamsOfACaptureShareItsIdAndItsGraph) {
  const Stream fork = stream();
  begin();
  write(s_, data_);
  order(s_, fork);
  EXPECT_EQ(info(fork).id, info(s_).id);
  EXPECT_EQ(info(fork).graph, info(s_).graph);
  EXPECT_EQ(info(fork).dependencies, info(s_).dependencies);
}

TEST_F(GraphNodes, TheGraphOfACaptureIsTheOneThatItsEndGives) {
  begin();
  write(s_, data_);
  const Graph graph = info(s_).graph;
  EXPECT_EQ(nodes(graph).size(), 1u);
  EXPECT_EQ(driver_.destroy_graph(graph), Status::invalid_value) << "the capture has it";
  EXPECT_EQ(end(), graph);
  ok(driver_.destroy_graph(graph));
}

TEST_F(GraphNodes, AnInvalidatedCaptureTellsNothingMore) {
  begin();
  const Graph graph = info(s_).graph;
  EXPECT_EQ(driver_.query_stream(s_), Status::capture_unsupported);
  EXPECT_EQ(info(s_).status, CaptureStatus::invalidated);
  Graph out{};
  EXPECT_EQ(driver_.end_capture(s_, out), Status::capture_invalidated);
  std::vector<NodeInfo> found;
  EXPECT_EQ(driver_.graph_nodes(graph, found), Status::invalid_value);
}

TEST_F(GraphNodes, TheLegacyStreamMayNotBeAskedWhileABlockingOneCaptures) {
  const Stream blocking = stream(StreamKind::blocking);
  ok(driver_.begin_capture(blocking, CaptureMode::relaxed));
  CaptureInfo found;
  EXPECT_EQ(driver_.capture_info(Stream::legacy, found), Status::capture_implicit);
}

TEST_F(GraphNodes, NodesSayWhatTheyDo) {
  std::byte* const other = buffer();
  begin();
  void* memory = nullptr;
  ok(driver_.allocate_async(size, s_, memory));
  write(s_, data_);
  ok(driver_.copy_async(other, data_, size, CopyDirection::inferred, s_));
  read(s_, data_);
  ok(driver_.launch_host_function(
      s_, [](void*) {}, nullptr));
  ok(driver_.release_async(memory, s_));
  const std::vector<NodeInfo> found = nodes(end());
  const std::array expected{NodeKind::allocation, NodeKind::fill,          NodeKind::copy,
                            NodeKind::kernel,     NodeKind::host_function, NodeKind::release};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(found[i].kind, expected[i]);
}

TEST_F(GraphNodes, EdgesAreThoseOfTheStreams) {
  const Stream fork = stream();
  begin();
  write(s_, data_);
  const GraphNode first = last(s_);
  order(s_, fork);
  read(s_, data_);
  read(fork, data_);
  const GraphNode left = last(s_), right = last(fork);
  order(fork, s_);
  EXPECT_EQ(info(s_).dependencies, (Nodes{left, right}));
  write(s_, data_);
  const GraphNode join = last(s_);
  EXPECT_EQ(node(join).dependencies, (Nodes{left, right}));
  EXPECT_EQ(node(first).dependents, (Nodes{left, right}));
  EXPECT_TRUE(node(first).dependencies.empty());
  const Graph graph = end();
  EXPECT_EQ(node(join).node, join) << "also when the capture has ended";
  ok(driver_.destroy_graph(graph));
  NodeInfo found;
  EXPECT_EQ(driver_.graph_node(join, found), Status::invalid_value);
  EXPECT_EQ(driver_.graph_node(GraphNode{}, found), Status::invalid_value);
}

TEST_F(GraphNodes, AGraphThatIsStillCapturedIsNotInstantiated) {
  begin();
  GraphExec out{};
  EXPECT_EQ(driver_.instantiate(info(s_).graph, out), Status::not_supported);
  EXPECT_EQ(driver_.take_limits().size(), 1u);
}

// ---- dependencies that the program chooses ------------------------------------------------------

TEST_F(GraphNodes, AddedDependenciesOrderTheNextNode) {
  const Stream fork = stream();
  begin();
  order(s_, fork);
  write(fork, data_);
  const GraphNode written = last(fork);
  ok(driver_.update_capture(s_, {&written, 1}, true));
  read(s_, data_);
  GraphExec executable{};
  ok(driver_.instantiate(end(), executable));
  ok(driver_.launch_graph(executable, s_));
  EXPECT_EQ(races(), 0u);
}

TEST_F(GraphNodes, DependenciesThatAreTakenAwayOrderNothingAndNeedNotBeJoined) {
  begin();
  write(s_, data_);
  ok(driver_.update_capture(s_, {}, false));
  EXPECT_TRUE(info(s_).dependencies.empty());
  read(s_, data_);
  GraphExec executable{};
  ok(driver_.instantiate(end(), executable));
  ok(driver_.launch_graph(executable, s_));
  EXPECT_EQ(races(), 1u);
}

TEST_F(GraphNodes, OnlyNodesOfTheCaptureAreDependencies) {
  begin();
  write(s_, data_);
  const GraphNode before = last(s_);
  end();
  begin();
  EXPECT_EQ(driver_.update_capture(s_, {&before, 1}, true), Status::invalid_value);
  end();
  EXPECT_EQ(driver_.update_capture(s_, {}, true), Status::illegal_state);
}

// ---- events of the outside ----------------------------------------------------------------------

TEST_F(GraphNodes, ANodeThatRecordsOrdersTheWorkOutside) {
  const Event done = event(EventTiming::enabled);
  const Stream other = stream();
  begin();
  write(s_, data_);
  ok(driver_.record_event_in_graph(done, s_));
  GraphExec executable{};
  ok(driver_.instantiate(end(), executable));
  wait(other, done);
  ok(driver_.launch_graph(executable, s_));
  read(other, data_);
  EXPECT_EQ(races(), 1u) << "the event was not recorded when the stream waited for it";
  ok(driver_.synchronize_device());
  ok(driver_.launch_graph(executable, s_));
  wait(other, done);
  read(other, data_);
  EXPECT_EQ(races(), 0u);
  ok(driver_.synchronize_event(done));
}

TEST_F(GraphNodes, ANodeThatWaitsIsOrderedBehindTheWorkOutside) {
  const Event ready = event();
  const Stream other = stream();
  begin();
  ok(driver_.wait_event_in_graph(s_, ready));
  read(s_, data_);
  GraphExec executable{};
  ok(driver_.instantiate(end(), executable));
  write(other, data_);
  record(ready, other);
  ok(driver_.launch_graph(executable, s_));
  EXPECT_EQ(races(), 0u);
}

TEST_F(GraphNodes, EventNodesAreOfCaptures) {
  const Event some = event();
  EXPECT_EQ(driver_.record_event_in_graph(some, s_), Status::invalid_value);
  EXPECT_EQ(driver_.wait_event_in_graph(s_, some), Status::invalid_value);
  begin();
  EXPECT_EQ(driver_.record_event_in_graph(Event{}, s_), Status::invalid_handle);
  set_device(1);
  EXPECT_EQ(driver_.record_event_in_graph(event(), s_), Status::invalid_handle)
      << "of another device";
}

}  // namespace
}  // namespace dlcert::driver
