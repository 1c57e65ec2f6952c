// SPDX-License-Identifier: Apache-2.0
//
// Memory that graphs allocate. Sources: CUDA programming guide, "Graph Memory Nodes"; CUDA Runtime
// API, cudaGraphAddMemAllocNode, cudaGraphAddMemFreeNode, cudaGraphInstantiate, cudaGraphLaunch.

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

class GraphMemoryNodes : public Simulated {
 protected:
  // Captures what `body` submits to the stream.
  template <class Body>
  Graph capture(Body&& body) {
    Graph made{};
    ok(driver_.begin_capture(s_, CaptureMode::relaxed));
    body();
    ok(driver_.end_capture(s_, made));
    return made;
  }
  GraphExec executable(Graph graph, std::uint64_t flags = 0) {
    GraphExec made{};
    ok(driver_.instantiate_with(graph, flags, made));
    return made;
  }
  void launch(GraphExec graph, Stream on) { ok(driver_.launch_graph(graph, on)); }
  std::byte* allocate() {
    void* made = nullptr;
    ok(driver_.allocate_async(size, s_, made));
    return static_cast<std::byte*>(made);
  }
  Status release(std::byte* memory) { return driver_.release_async(memory, s_); }
  // A graph that allocates data_, writes it, and leaves it to others to release.
  Graph producer() {
    return capture([&] {
      data_ = allocate();
      write(s_, data_, 7);
    });
  }
  std::uint64_t of_graphs(PoolAttribute attribute) {
    std::uint64_t value = 0;
    ok(driver_.graph_memory(0, attribute, value));
    return value;
  }

  Stream s_ = stream();
  std::byte* data_ = nullptr;
};

TEST_F(GraphMemoryNodes, EveryLaunchAllocatesAtTheSameAddressAndReleases) {
  const Graph graph = capture([&] {
    data_ = allocate();
    write(s_, data_);
    ok(release(data_));
  });
  const GraphExec x = executable(graph);
  launch(x, s_);
  launch(x, stream());
  ok(driver_.synchronize_device());
  EXPECT_EQ(races(), 0u);
}

TEST_F(GraphMemoryNodes, MemoryThatAGraphDoesNotReleaseIsUsedBehindIt) {
  launch(executable(producer()), s_);
  read(s_, data_);
  ok(release(data_));
  EXPECT_EQ(races(), 0u);
}

TEST_F(GraphMemoryNodes, WhoIsNotOrderedBehindTheLaunchRaces) {
  const GraphExec x = executable(producer());
  launch(x, s_);
  read(stream(), data_);
  EXPECT_GE(races(), 1u);
}

TEST_F(GraphMemoryNodes, MemoryIsNotAllocatedBeforeALaunch) {
  const GraphExec x = executable(producer());
  read(s_, data_);
  const std::vector<Race> found = driver_.take_races();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text().find("is not allocated yet"), std::string::npos) << found[0].text();
  launch(x, s_);
  read(s_, data_);
  EXPECT_EQ(races(), 0u);
}

TEST_F(GraphMemoryNodes, MemoryIsGoneBehindTheNodeThatReleasesIt) {
  const Graph graph = capture([&] {
    data_ = allocate();
    ok(release(data_));
    read(s_, data_);
  });
  launch(executable(graph), s_);
  EXPECT_EQ(races(), 1u);
}

TEST_F(GraphMemoryNodes, ANodeThatIsNotOrderedBeforeTheReleaseRaces) {
  const Stream fork = stream();
  const Graph graph = capture([&] {
    data_ = allocate();
    order(s_, fork);
    read(fork, data_);
    ok(release(data_));
    order(fork, s_);
  });
  EXPECT_EQ(races(), 0u) << "nothing runs in a capture";
  launch(executable(graph), s_);
  EXPECT_EQ(races(), 1u);
}

TEST_F(GraphMemoryNodes, AnotherGraphMayUseAndReleaseIt) {
  const GraphExec produces = executable(producer());
  const GraphExec consumes = executable(capture([&] {
    read(s_, data_);
    ok(release(data_));
  }));
  for (int run = 0; run < 2; ++run) {
    launch(produces, s_);
    launch(consumes, s_);
  }
  EXPECT_EQ(races(), 0u);
  launch(consumes, s_);
  EXPECT_GE(races(), 1u) << "there is nothing to release";
}

TEST_F(GraphMemoryNodes, WhatIsNotReleasedForbidsTheNextLaunch) {
  const GraphExec x = executable(producer());
  launch(x, s_);
  EXPECT_EQ(driver_.launch_graph(x, s_), Status::invalid_value);
  ok(release(data_));
  launch(x, s_);
}

TEST_F(GraphMemoryNodes, ReleaseOnLaunchIsPartOfTheLaunch) {
  const GraphExec x = executable(producer(), release_on_launch);
  const Stream consumer = stream();
  launch(x, s_);
  order(s_, consumer);
  read(consumer, data_);
  order(consumer, s_);
  launch(x, s_);
  EXPECT_EQ(races(), 0u);
  order(s_, consumer);
  read(consumer, data_);
  launch(x, s_);
  EXPECT_EQ(races(), 1u) << "the consumer may still read what this launch releases";
}

TEST_F(GraphMemoryNodes, TheNextLifeDoesNotMeetTheWorkOfTheLast) {
  const GraphExec x = executable(producer());
  const Stream other = stream();
  launch(x, s_);
  order(s_, other);
  write(other, data_, 9);
  ok(driver_.release_async(data_, other));
  launch(x, s_);
  ok(driver_.synchronize_stream(s_));
  ok(driver_.synchronize_device());
  EXPECT_EQ(visible(data_), 7) << "the driver waits for the release";
  EXPECT_EQ(races(), 0u);
}

TEST_F(GraphMemoryNodes, TheHostReleasesAtOnce) {
  const GraphExec x = executable(producer());
  launch(x, s_);
  ok(driver_.synchronize_stream(s_));
  ok(driver_.release(MemoryKind::device, data_));
  EXPECT_EQ(races(), 0u);
  EXPECT_EQ(driver_.release(MemoryKind::device, data_), Status::invalid_value);
  launch(x, s_);
  ok(driver_.synchronize_stream(s_));
  EXPECT_EQ(visible(data_), 7);
  ok(driver_.release(MemoryKind::device, data_));
  launch(x, s_);
  ok(driver_.release(MemoryKind::device, data_));
  EXPECT_GE(races(), 1u) << "the launch may still run";
}

// ---- what is refused ----------------------------------------------------------------------------

TEST_F(GraphMemoryNodes, ACaptureReleasesMemoryOfGraphsOnly) {
  std::byte* const pooled = allocate();
  std::byte* const other = buffer();
  capture([&] {
    EXPECT_EQ(release(pooled), Status::invalid_value);
    EXPECT_EQ(release(other), Status::invalid_value);
    data_ = allocate();
    EXPECT_EQ(release(data_ + 8), Status::invalid_value);
    ok(release(data_));
    EXPECT_EQ(release(data_), Status::invalid_value) << "twice in one graph";
  });
}

TEST_F(GraphMemoryNodes, WhatItsGraphReleasesIsNobodyElsesToRelease) {
  const GraphExec x = executable(capture([&] {
    data_ = allocate();
    ok(release(data_));
  }));
  launch(x, s_);
  EXPECT_EQ(release(data_), Status::invalid_value);
  EXPECT_EQ(driver_.release(MemoryKind::device, data_), Status::invalid_value);
  capture([&] { EXPECT_EQ(release(data_), Status::invalid_value); });
}

TEST_F(GraphMemoryNodes, ThereIsOneExecutableAtATime) {
  const Graph graph = producer();
  const GraphExec x = executable(graph);
  GraphExec second{};
  EXPECT_EQ(driver_.instantiate(graph, second), Status::not_supported);
  ok(driver_.destroy_graph_exec(x));
  executable(graph);
}

TEST_F(GraphMemoryNodes, AnInvalidatedCaptureAllocatesNothing) {
  ok(driver_.begin_capture(s_, CaptureMode::relaxed));
  EXPECT_EQ(driver_.query_stream(s_), Status::capture_unsupported);
  void* out = nullptr;
  EXPECT_EQ(driver_.allocate_async(size, s_, out), Status::capture_invalidated);
  EXPECT_EQ(driver_.release_async(buffer(), s_), Status::capture_invalidated);
}

TEST_F(GraphMemoryNodes, AnotherGraphReleasesItOnce) {
  producer();
  capture([&] {
    ok(release(data_));
    EXPECT_EQ(release(data_), Status::invalid_value);
  });
}

TEST_F(GraphMemoryNodes, WhatAnotherGraphReleasesItsOwnMayNot) {
  const Stream other = stream();
  Graph graph{};
  ok(driver_.begin_capture(s_, CaptureMode::relaxed));
  data_ = allocate();
  ok(driver_.begin_capture(other, CaptureMode::relaxed));
  ok(driver_.release_async(data_, other));
  ok(driver_.end_capture(other, graph));
  EXPECT_EQ(release(data_), Status::invalid_value);
  ok(driver_.end_capture(s_, graph));
}

// ---- the end ------------------------------------------------------------------------------------

TEST_F(GraphMemoryNodes, LiveMemoryOutlivesItsGraph) {
  const std::size_t before = driver_.living().allocations;
  const Graph graph = producer();
  const GraphExec x = executable(graph);
  EXPECT_EQ(driver_.living().allocations, before) << "nothing is allocated yet";
  launch(x, s_);
  ok(driver_.destroy_graph(graph));
  ok(driver_.destroy_graph_exec(x));
  EXPECT_EQ(driver_.living().allocations, before + 1);
  read(s_, data_);
  ok(release(data_));
  EXPECT_EQ(driver_.living().allocations, before);
  EXPECT_EQ(races(), 0u);
}

TEST_F(GraphMemoryNodes, MemoryIsTheDevicesAgainWithoutItsGraph) {
  std::uint64_t before = 0, after = 0, total = 0;
  ok(driver_.memory_info(before, total));
  ok(driver_.destroy_graph(producer()));
  ok(driver_.memory_info(after, total));
  EXPECT_EQ(after, before);
}

TEST_F(GraphMemoryNodes, GraphsKeepWhatTheyUsedUntilItIsTrimmed) {
  const GraphExec x = executable(producer());
  EXPECT_EQ(of_graphs(PoolAttribute::used), 0u) << "launches map memory";
  launch(x, s_);
  EXPECT_EQ(of_graphs(PoolAttribute::used), 512u);
  ok(driver_.trim_graph_memory(0));
  EXPECT_EQ(of_graphs(PoolAttribute::used), 512u) << "it is not released";
  ok(release(data_));
  ok(driver_.synchronize_stream(s_));
  EXPECT_EQ(of_graphs(PoolAttribute::reserved), 512u);
  ok(driver_.trim_graph_memory(0));
  EXPECT_EQ(of_graphs(PoolAttribute::used), 0u);
  EXPECT_EQ(of_graphs(PoolAttribute::reserved), 0u);
  EXPECT_EQ(of_graphs(PoolAttribute::used_high), 512u);
  ok(driver_.reset_graph_memory(0, PoolAttribute::used_high));
  EXPECT_EQ(of_graphs(PoolAttribute::used_high), 0u);
  EXPECT_EQ(driver_.reset_graph_memory(0, PoolAttribute::used), Status::invalid_value);
  EXPECT_EQ(driver_.trim_graph_memory(2), Status::invalid_device);
}

}  // namespace
}  // namespace dlcert::driver
