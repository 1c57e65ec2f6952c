// SPDX-License-Identifier: Apache-2.0
//
// Memory that nodes of graphs allocate and release. The rules are those of "Graph Memory Nodes" in
// CUDA's programming guide and of cudaGraphAddMemAllocNode and cudaGraphAddMemFreeNode.

#include <algorithm>
#include <utility>

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {

// ---- recording ----------------------------------------------------------------------------------

// The address is fixed from now on, and nobody may use it before a launch has allocated it.
Status World::capture_allocation(StreamState& stream, Task task, Allocation& allocation) {
  CapturedGraph& graph = *stream.capture->capture->graph;
  allocation.alive = false;
  allocation.graph = std::make_shared<GraphMemory>();
  allocation.graph->begin = allocation.begin;
  allocation.graph->owner = graph.id;
  graph.memory.push_back(allocation.graph);
  graph_memory_.push_back(allocation.begin);
  return capture_task(stream, std::move(task));
}

// The capture goes on after a release that is refused.
Status World::capture_release(StreamState& stream, const Allocation& allocation) {
  CapturedGraph& graph = *stream.capture->capture->graph;
  const std::shared_ptr<GraphMemory>& memory = allocation.graph;
  if (memory == nullptr || memory->owner_releases) return Status::invalid_value;
  const bool owns = memory->owner == graph.id;
  const bool known = std::ranges::find(graph.memory, memory) != graph.memory.end();
  if (owns ? memory->another_releases : known) return Status::invalid_value;
  (owns ? memory->owner_releases : memory->another_releases) = true;
  if (!owns) graph.memory.push_back(memory);
  return capture_task(stream, make_release(allocation));
}

// NULL when its device has ended.
Allocation* World::find_graph_memory(std::uintptr_t begin) {
  Allocation* const found = memory_->find(begin);
  return found != nullptr && found->graph != nullptr ? found : nullptr;
}

// ---- launches -----------------------------------------------------------------------------------

// What the last launch allocated must be released before the next one, or is released by it.
Status World::release_unreleased(const ExecutableGraph& executable, StreamState& stream) {
  for (const std::shared_ptr<GraphMemory>& each : executable.graph->memory) {
    const Allocation* const memory = find_graph_memory(each->begin);
    if (each->owner != executable.graph->id || memory == nullptr || !memory->alive) continue;
    if ((executable.flags & release_on_launch) == 0) return Status::invalid_value;
    append(*stream.timeline, make_release(*memory));
  }
  return Status::success;
}

void World::set_mapped(Allocation& allocation, bool mapped) {
  if (std::exchange(allocation.graph->is_mapped, mapped) == mapped) return;
  MemoryPool& books = device_pools_[static_cast<std::size_t>(allocation.device)].graphs;
  const std::size_t bytes = arena(allocation.device).bytes_of(block_of(allocation));
  mapped ? books.take(bytes) : books.give_back(bytes);
}

// ---- the end ------------------------------------------------------------------------------------

// Memory without a graph that names it, and without a run that uses it, is the device's again.
void World::reclaim_graph_memory() {
  std::erase_if(graph_memory_, [&](std::uintptr_t begin) {
    Allocation* const memory = find_graph_memory(begin);
    if (memory == nullptr) return true;
    const bool is_named = memory->graph.use_count() > 1;
    if (is_named || memory->alive || !engine_->is_done(memory->graph->released)) return false;
    set_mapped(*memory, false);
    memory->graph.reset();
    free_now(*memory);
    return true;
  });
}

Status World::trim_graph_memory(int device) {
  return call("trim_graph_memory", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    for (const std::uintptr_t begin : graph_memory_) {
      Allocation* const memory = find_graph_memory(begin);
      if (memory != nullptr && memory->device == device && !memory->alive &&
          engine_->is_done(memory->graph->released))
        set_mapped(*memory, false);
    }
    device_pools_[static_cast<std::size_t>(device)].graphs.trim(0);
    return Status::success;
  });
}

}  // namespace dlcert::driver::simulated
