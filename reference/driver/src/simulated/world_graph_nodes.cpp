// SPDX-License-Identifier: Apache-2.0
//
// What a program may know of captures under way and of the nodes of graphs. Source: CUDA Runtime
// API, cudaStreamGetCaptureInfo, cudaStreamUpdateCaptureDependencies and "Graph Management".

#include <algorithm>

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {
namespace {

// A node's handle is its graph and its place there.
constexpr unsigned graph_shift = 32;
constexpr unsigned node_shift = 4;
constexpr std::uintptr_t all_nodes = (std::uintptr_t{1} << (graph_shift - node_shift)) - 1;

GraphNode handle_of(const CapturedGraph& graph, std::size_t node) {
  return GraphNode{graph.id << graph_shift | (node + 1) << node_shift};
}

std::vector<GraphNode> handles_of(const CapturedGraph& graph,
                                  const std::vector<std::size_t>& nodes) {
  std::vector<GraphNode> handles;
  handles.reserve(nodes.size());
  for (const std::size_t node : nodes)
    handles.push_back(handle_of(graph, node));
  return handles;
}

NodeInfo info_of(const CapturedGraph& graph, std::size_t node) {
  const CapturedGraph::Node& found = graph.nodes[node];
  NodeInfo info{
      handle_of(graph, node), found.task.kind, found.task.name, handles_of(graph, found.after), {}};
  for (std::size_t later = node + 1; later < graph.nodes.size(); ++later)
    if (std::ranges::find(graph.nodes[later].after, node) != graph.nodes[later].after.end())
      info.dependents.push_back(handle_of(graph, later));
  return info;
}

}  // namespace

// NULL when there is no such node (any more).
std::shared_ptr<CapturedGraph> World::find_node(GraphNode node, std::size_t& index) const {
  const auto handle = static_cast<std::uintptr_t>(node);
  const auto known = graphs_by_id_.find(handle >> graph_shift);
  std::shared_ptr<CapturedGraph> graph =
      known != graphs_by_id_.end() ? known->second.lock() : nullptr;
  index = (handle >> node_shift & all_nodes) - 1;
  return graph != nullptr && index < graph->nodes.size() ? graph : nullptr;
}

Status World::capture_info(Stream stream, CaptureInfo& out) {
  return call("capture_info", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (state->timeline->legacy && blocking_capture(state->device()))
      return Status::capture_implicit;
    out = {};
    if (!state->capture) return Status::success;
    const Capture& capture = *state->capture->capture;
    out.status = capture.invalidated ? CaptureStatus::invalidated : CaptureStatus::active;
    if (capture.invalidated) return Status::success;
    out.id = capture.graph->id;
    out.graph = capture.handle;
    out.dependencies = handles_of(*capture.graph, state->capture->tail);
    return Status::success;
  });
}

Status World::update_capture(Stream stream, std::span<const GraphNode> nodes, bool keeps_others) {
  return call("update_capture", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (!state->capture) return Status::illegal_state;
    Capture& capture = *state->capture->capture;
    if (capture.invalidated) return Status::capture_invalidated;
    std::vector<std::size_t>& tail = state->capture->tail;
    std::vector<std::size_t> changed = keeps_others ? tail : std::vector<std::size_t>{};
    for (const GraphNode node : nodes) {
      std::size_t index = 0;
      if (find_node(node, index) != capture.graph) return Status::invalid_value;
      if (std::ranges::find(changed, index) == changed.end()) changed.push_back(index);
    }
    if (!keeps_others) {
      capture.let_go.insert(capture.let_go.end(), tail.begin(), tail.end());
      state->capture->branch = capture.graph->branches++;  // nodes of one branch are ordered
    }
    tail = std::move(changed);
    return Status::success;
  });
}

Status World::graph_nodes(Graph graph, std::vector<NodeInfo>& out) {
  return call("graph_nodes", [&](Session&) {
    const auto* const found = graphs_.find(static_cast<std::uintptr_t>(graph));
    if (found == nullptr) return Status::invalid_value;
    out.clear();
    for (std::size_t node = 0; node < (*found)->nodes.size(); ++node)
      out.push_back(info_of(**found, node));
    return Status::success;
  });
}

Status World::graph_node(GraphNode node, NodeInfo& out) {
  return call("graph_node", [&](Session&) {
    std::size_t index = 0;
    const std::shared_ptr<CapturedGraph> found = find_node(node, index);
    if (found == nullptr) return Status::invalid_value;
    out = info_of(*found, index);
    return Status::success;
  });
}

}  // namespace dlcert::driver::simulated
