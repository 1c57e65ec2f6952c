// SPDX-License-Identifier: Apache-2.0
//
// The nodes of graphs, and the objects that they hold.

#include <fstream>
#include <string>
#include <vector>

#include "shims/cuda/cuda_graph_names.hpp"
#include "shims/cuda/cuda_shim.hpp"
#include "shims/common/entry_points.inc"

namespace {

using dlcert::driver::GraphNode;
using dlcert::driver::NodeInfo;
using dlcert::driver::NodeKind;
using dlcert::driver::UserObject;
using Nodes = std::vector<GraphNode>;

Graph graph_of(cudaGraph_t graph) {
  return std::bit_cast<Graph>(graph);
}

UserObject object_of(cudaUserObject_t object) {
  return std::bit_cast<UserObject>(object);
}

// As many of `found` as `*count` says, and NULL behind them; without an array only how many.
Status list(const Nodes& found, cudaGraphNode_t* out, std::size_t* count) {
  if (count == nullptr) return Status::invalid_value;
  if (out == nullptr) {
    *count = found.size();
    return Status::success;
  }
  const std::size_t room = *count;
  *count = room < found.size() ? room : found.size();
  for (std::size_t index = 0; index < room; ++index)
    out[index] = index < *count ? native<cudaGraphNode_t>(found[index]) : nullptr;
  return Status::success;
}

// Edges without data: no call makes others.
void clear(cudaGraphEdgeData* edges, const std::size_t* count) {
  if (edges == nullptr) return;
  for (std::size_t index = 0; index < *count; ++index)
    edges[index] = {};
}

cudaError_t list_neighbours(cudaGraphNode_t node, Nodes NodeInfo::*neighbours, cudaGraphNode_t* out,
                            cudaGraphEdgeData* edges, std::size_t* count) {
  return run([&](SimulatedDriver& driver) {
    if (edges != nullptr && out == nullptr) return Status::invalid_value;
    NodeInfo found;
    Status status = driver.graph_node(std::bit_cast<GraphNode>(node), found);
    if (status == Status::success) status = list(found.*neighbours, out, count);
    if (status == Status::success) clear(edges, count);
    return status;
  });
}

const char* kind_text(NodeKind kind) {
  switch (kind) {
    case NodeKind::kernel:
      return "KERNEL";
    case NodeKind::copy:
      return "MEMCPY";
    case NodeKind::fill:
      return "MEMSET";
    case NodeKind::host_function:
      return "HOST";
    case NodeKind::wait_event:
      return "EVENT_WAIT";
    case NodeKind::record_event:
      return "EVENT_RECORD";
    case NodeKind::allocation:
      return "MEM_ALLOC";
    case NodeKind::release:
      return "MEM_FREE";
  }
  return "";
}

}  // namespace

// ---- nodes and edges ----------------------------------------------------------------------------

extern "C" cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* out, size_t* count) {
  return run([&](SimulatedDriver& driver) {
    std::vector<NodeInfo> found;
    const Status status = driver.graph_nodes(graph_of(graph), found);
    Nodes nodes;
    for (const NodeInfo& each : found)
      nodes.push_back(each.node);
    return status == Status::success ? list(nodes, out, count) : status;
  });
}

extern "C" cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* out,
                                             size_t* count) {
  return run([&](SimulatedDriver& driver) {
    std::vector<NodeInfo> found;
    const Status status = driver.graph_nodes(graph_of(graph), found);
    Nodes roots;
    for (const NodeInfo& each : found)
      if (each.dependencies.empty()) roots.push_back(each.node);
    return status == Status::success ? list(roots, out, count) : status;
  });
}

extern "C" cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                                         cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                                         size_t* count) {
  return run([&](SimulatedDriver& driver) {
    const bool asks_one = (from == nullptr) != (to == nullptr);
    if (asks_one || count == nullptr || (edges != nullptr && from == nullptr))
      return Status::invalid_value;
    std::vector<NodeInfo> found;
    if (const Status status = driver.graph_nodes(graph_of(graph), found); status != Status::success)
      return status;
    Nodes sources, targets;
    for (const NodeInfo& each : found)
      for (const GraphNode earlier : each.dependencies) {
        sources.push_back(earlier);
        targets.push_back(each.node);
      }
    std::size_t as_many = *count;
    static_cast<void>(list(sources, from, &as_many));
    static_cast<void>(list(targets, to, count));
    clear(edges, count);
    return Status::success;
  });
}

extern "C" cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* out,
                                                    cudaGraphEdgeData* edges, size_t* count) {
  return list_neighbours(node, &NodeInfo::dependencies, out, edges, count);
}

extern "C" cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* out,
                                                      cudaGraphEdgeData* edges, size_t* count) {
  return list_neighbours(node, &NodeInfo::dependents, out, edges, count);
}

extern "C" cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* out) {
  return run_for<NodeKind>(out, [&](SimulatedDriver& driver, NodeKind& kind) {
    NodeInfo found;
    const Status status = driver.graph_node(std::bit_cast<GraphNode>(node), found);
    kind = found.kind;
    return status;
  });
}

#if CUDART_VERSION < 13000

// Without edge data, as CUDA 12 has them beside those of 13.

#undef cudaGraphGetEdges
extern "C" cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                                         cudaGraphNode_t* to, size_t* count) {
  return cudaGraphGetEdges_v2(graph, from, to, nullptr, count);
}

#undef cudaGraphNodeGetDependencies
extern "C" cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* out,
                                                    size_t* count) {
  return cudaGraphNodeGetDependencies_v2(node, out, nullptr, count);
}

#undef cudaGraphNodeGetDependentNodes
extern "C" cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* out,
                                                      size_t* count) {
  return cudaGraphNodeGetDependentNodes_v2(node, out, nullptr, count);
}

#endif

// Topology, kinds and names, whatever more the flags ask for.
extern "C" cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path,
                                              unsigned int /*flags*/) {
  return run([&](SimulatedDriver& driver) {
    constexpr auto system_error = static_cast<Status>(cudaErrorOperatingSystem);
    if (path == nullptr) return Status::invalid_value;
    std::vector<NodeInfo> found;
    if (const Status status = driver.graph_nodes(graph_of(graph), found); status != Status::success)
      return status;
    std::ofstream out{path};
    out << "digraph dlcert {\n";
    const auto id = [](GraphNode node) {
      return "\"" + std::to_string(static_cast<std::uintptr_t>(node)) + "\"";
    };
    for (const NodeInfo& each : found) {
      out << id(each.node) << " [label=\"" << kind_text(each.kind) << "\\n"
          << each.name << "\"];\n";
      for (const GraphNode earlier : each.dependencies)
        out << id(earlier) << " -> " << id(each.node) << ";\n";
    }
    out << "}\n" << std::flush;
    return out ? Status::success : system_error;
  });
}

extern "C" cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graph, unsigned long long* out) {
  return run_for<std::uint64_t>(out, [&](SimulatedDriver& driver, std::uint64_t& flags) {
    return driver.executable_flags(std::bit_cast<GraphExec>(graph), flags);
  });
}

// ---- user objects -------------------------------------------------------------------------------

extern "C" cudaError_t cudaUserObjectCreate(cudaUserObject_t* out, void* data, cudaHostFn_t destroy,
                                            unsigned int count, unsigned int flags) {
  return run_for<UserObject>(out, [&](SimulatedDriver& driver, UserObject& object) {
    if (flags != cudaUserObjectNoDestructorSync) return Status::invalid_value;
    return driver.create_user_object(destroy, data, count, object);
  });
}

extern "C" cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  return run(
      [&](SimulatedDriver& driver) { return driver.retain_user_object(object_of(object), count); });
}

extern "C" cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  return run([&](SimulatedDriver& driver) {
    return driver.release_user_object(object_of(object), count);
  });
}

extern "C" cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                 unsigned int count, unsigned int flags) {
  return run([&](SimulatedDriver& driver) {
    if ((flags & ~static_cast<unsigned int>(cudaGraphUserObjectMove)) != 0)
      return Status::invalid_value;
    return driver.retain_in_graph(graph_of(graph), object_of(object), count, flags != 0);
  });
}

extern "C" cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                  unsigned int count) {
  return run([&](SimulatedDriver& driver) {
    return driver.release_in_graph(graph_of(graph), object_of(object), count);
  });
}
