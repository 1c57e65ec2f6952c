// SPDX-License-Identifier: Apache-2.0
//
// Capture and replay in the simulated driver.

#include <algorithm>

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {
namespace {

// Whether every node happens before the end of the origin's branch.
bool is_joined(const CapturedGraph& graph, const std::vector<std::size_t>& tail) {
  std::vector<bool> reached(graph.nodes.size());
  for (const std::size_t node : tail)
    reached[node] = true;
  for (std::size_t node = graph.nodes.size(); node-- > 0;)
    if (reached[node])
      for (const std::size_t earlier : graph.nodes[node].after)
        reached[earlier] = true;
  return std::ranges::all_of(reached, [](bool each) { return each; });
}

void add_missing(std::vector<std::size_t>& tail, const std::vector<std::size_t>& others) {
  for (const std::size_t node : others)
    if (std::ranges::find(tail, node) == tail.end()) tail.push_back(node);
}

}  // namespace

// ---- what a capture forbids ---------------------------------------------------------------------

bool World::blocking_capture(int device) const {
  if (captures_.empty()) return false;
  return std::ranges::any_of(by_timeline_, [&](const StreamState* stream) {
    return stream != nullptr && stream->capture && stream->device() == device &&
           stream->timeline->blocking;
  });
}

Status World::refuse_legacy(const StreamState& stream) {
  if (!stream.timeline->legacy || !blocking_capture(stream.device())) return Status::success;
  for (const StreamState* other : by_timeline_)
    if (other != nullptr && other->capture && other->device() == stream.device() &&
        other->timeline->blocking)
      other->capture->capture->invalidated = true;
  return Status::capture_implicit;
}

Status World::refuse_captured(const StreamState& stream) {
  if (stream.capture) return break_capture(*stream.capture->capture, Status::capture_unsupported);
  return refuse_legacy(stream);
}

// To CUDA the event of a capture that is broken or over is none that anybody may ask or wait for.
bool World::is_of_lost_capture(const EventState& event) const {
  if (!event.capture || options_.vendor != Vendor::cuda) return false;
  const Capture& capture = *event.capture->capture;
  return capture.ended || capture.invalidated;
}

Status World::refuse_captured(const EventState& event) {
  if (!event.capture) return Status::success;
  if (is_of_lost_capture(event)) return Status::invalid_value;
  event.capture->capture->invalidated = true;
  return Status::captured_event;
}

Status World::refuse_device_wait(int device) {
  Status answer = Status::success;
  if (captures_.empty()) return answer;
  for (const StreamState* stream : by_timeline_) {
    if (stream == nullptr || !stream->capture || stream->device() != device) continue;
    stream->capture->capture->invalidated = true;
    answer = Status::capture_unsupported;
  }
  return answer;
}

// What may wait behind the scenes, such as an allocation.
Status World::refuse_unsafe(const ThreadState& thread) {
  if (thread.capture_mode == CaptureMode::relaxed) return Status::success;
  Status answer = Status::success;
  for (const std::shared_ptr<Capture>& capture : captures_) {
    const bool own = capture->thread == std::this_thread::get_id();
    const bool forbids =
        own ? capture->mode != CaptureMode::relaxed
            : capture->mode == CaptureMode::global && thread.capture_mode == CaptureMode::global;
    if (!forbids) continue;
    capture->invalidated = true;
    answer = Status::capture_unsupported;
  }
  return answer;
}

// HIP's manual says no more of what is unsafe.
Status World::refuse_unsafe_to_cuda(const ThreadState& thread) {
  return options_.vendor == Vendor::cuda ? refuse_unsafe(thread) : Status::success;
}

Status World::refuse_question(const EventState& event, const ThreadState& thread) {
  const Status status = refuse_captured(event);
  return status == Status::success ? refuse_unsafe_to_cuda(thread) : status;
}

Status World::refuse_question(const StreamState& stream, const ThreadState& thread) {
  const Status status = refuse_captured(stream);
  return status == Status::success ? refuse_unsafe_to_cuda(thread) : status;
}

Status World::refuse_blocking_copy() {
  if (options_.vendor != Vendor::rocm || captures_.empty()) return Status::success;
  for (const std::shared_ptr<Capture>& capture : captures_)
    capture->invalidated = true;
  return Status::capture_implicit;
}

// ---- recording ----------------------------------------------------------------------------------

Status World::begin_capture(Stream stream, CaptureMode mode) {
  return call("begin_capture", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (state->timeline->legacy) return Status::capture_unsupported;
    if (state->capture) return Status::illegal_state;
    auto capture = std::make_shared<Capture>();
    capture->mode = mode;
    capture->origin = state->timeline->index;
    capture->thread = std::this_thread::get_id();
    capture->graph->device = state->device();
    capture->graph->id = next_capture_id_++;
    capture->handle =
        Graph{graphs_.add(std::make_unique<std::shared_ptr<CapturedGraph>>(capture->graph))};
    std::erase_if(graphs_by_id_, [](const auto& each) { return each.second.expired(); });
    graphs_by_id_[capture->graph->id] = capture->graph;
    captures_.push_back(capture);
    state->capture = CaptureBranch{std::move(capture)};
    return Status::success;
  });
}

Status World::capture_task(StreamState& stream, Task task) {
  CaptureBranch& branch = *stream.capture;
  if (branch.capture->invalidated) return Status::capture_invalidated;
  CapturedGraph& graph = *branch.capture->graph;
  task.place = thread_state().place;
  graph.nodes.push_back({std::move(task), branch.branch, std::move(branch.tail)});
  branch.tail = {graph.nodes.size() - 1};
  return Status::success;
}

Status World::join_capture(StreamState& stream, const CaptureBranch& branch) {
  Capture& capture = *branch.capture;
  if (stream.timeline->legacy) return break_capture(capture, Status::capture_implicit);
  stream.capture = CaptureBranch{branch.capture, capture.graph->branches++, branch.tail};
  return Status::success;
}

Status World::wait_in_capture(StreamState& stream, const EventState& event) {
  if (!stream.capture) {
    Capture& capture = *event.capture->capture;
    if (is_of_lost_capture(event)) return Status::invalid_value;
    if (capture.ended) return Status::captured_event;
    if (capture.invalidated) return Status::capture_invalidated;
    return join_capture(stream, *event.capture);
  }
  Capture& capture = *stream.capture->capture;
  if (capture.invalidated) return Status::capture_invalidated;
  if (!event.capture) {
    if (event.moment.position.number == 0) return Status::success;
    return break_capture(capture, Status::capture_isolation);
  }
  if (is_of_lost_capture(event)) return break_capture(capture, Status::invalid_value);
  if (event.capture->capture.get() != &capture) {
    event.capture->capture->invalidated = true;
    return break_capture(capture, Status::capture_merge);
  }
  add_missing(stream.capture->tail, event.capture->tail);
  return Status::success;
}

void World::leave_capture(const Capture& capture) {
  for (StreamState* stream : by_timeline_)
    if (stream != nullptr && stream->capture && stream->capture->capture.get() == &capture)
      stream->capture.reset();
  std::erase_if(captures_, [&](const auto& each) { return each.get() == &capture; });
}

Status World::end_capture(Stream stream, Graph& out) {
  return call("end_capture", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (!state->capture) return Status::illegal_state;
    const std::shared_ptr<Capture> capture = state->capture->capture;
    if (capture->origin != state->timeline->index)
      return break_capture(*capture, Status::capture_unmatched);
    const bool wrong_thread =
        capture->mode != CaptureMode::relaxed && capture->thread != std::this_thread::get_id();
    if (wrong_thread && options_.vendor == Vendor::rocm) return Status::capture_wrong_thread;
    std::vector<std::size_t> ends = state->capture->tail;
    add_missing(ends, capture->let_go);
    // Events that were recorded in the capture keep it, but not what it made.
    const std::shared_ptr<CapturedGraph> graph = std::exchange(capture->graph, nullptr);
    capture->ended = true;
    leave_capture(*capture);
    const Status status = capture->invalidated       ? Status::capture_invalidated
                          : wrong_thread             ? Status::capture_wrong_thread
                          : !is_joined(*graph, ends) ? Status::capture_unjoined
                                                     : Status::success;
    graph->is_capturing = false;
    out = status == Status::success ? capture->handle : Graph{};
    if (status != Status::success) drop_graph(capture->handle);
    return status;
  });
}

Status World::capture_status(Stream stream, CaptureStatus& out) {
  return call("capture_status", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (state->timeline->legacy && blocking_capture(state->device()))
      return Status::capture_implicit;
    out = !state->capture                        ? CaptureStatus::none
          : state->capture->capture->invalidated ? CaptureStatus::invalidated
                                                 : CaptureStatus::active;
    return Status::success;
  });
}

Status World::exchange_capture_mode(CaptureMode& mode) {
  return call("exchange_capture_mode", [&](Session& session) {
    std::swap(session.thread.capture_mode, mode);
    return Status::success;
  });
}

// ---- replay -------------------------------------------------------------------------------------

Status World::instantiate(Graph graph, GraphExec& out) {
  return instantiate_with(graph, 0, out);
}

// Of a graph that allocates or releases there is one at a time.
Status World::instantiate_with(Graph graph, std::uint64_t flags, GraphExec& out) {
  return call("instantiate", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    if (const Status status = refuse_unsafe_to_cuda(session.thread); status != Status::success)
      return status;
    const auto* const captured = graphs_.find(static_cast<std::uintptr_t>(graph));
    if (captured == nullptr) return Status::invalid_value;
    if (!(*captured)->memory.empty() && (*captured)->has_executable)
      return options_.vendor == Vendor::cuda ? Status::not_supported : Status::invalid_value;
    if ((*captured)->is_capturing) {
      note_limit("an executable of a graph that is still captured is not modelled");
      return Status::not_supported;
    }
    auto made = std::make_unique<ExecutableGraph>();
    made->graph = *captured;
    made->objects = (*captured)->objects;
    made->flags = flags;
    for (std::size_t branch = 0; branch < (*captured)->branches; ++branch)
      made->branches.push_back(&engine_->add_timeline((*captured)->device, false, false));
    (*captured)->has_executable = true;
    out = GraphExec{executables_.add(std::move(made))};
    return Status::success;
  });
}

Status World::executable_flags(GraphExec graph, std::uint64_t& out) {
  return call("executable_flags", [&](Session&) {
    const ExecutableGraph* const found = executables_.find(static_cast<std::uintptr_t>(graph));
    if (found == nullptr) return Status::invalid_value;
    out = found->flags;
    return Status::success;
  });
}

Status World::launch_graph(GraphExec graph, Stream stream) {
  return call(on_memory("launch_graph"), stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    ExecutableGraph* const executable = executables_.find(static_cast<std::uintptr_t>(graph));
    if (state == nullptr) return Status::invalid_handle;
    if (executable == nullptr) return Status::invalid_value;
    if (state->capture) {
      state->capture->capture->invalidated = true;
      return Status::capture_unsupported;
    }
    if (const Status status = refuse_legacy(*state); status != Status::success) return status;
    if (const Status status = release_unreleased(*executable, *state); status != Status::success)
      return status;
    replay(session, *executable, *state);
    return Status::success;
  });
}

// The branches fork from the stream and join it again. Launches of one graph follow each other.
void World::replay(Session& session, ExecutableGraph& executable, StreamState& stream) {
  Timeline& launching = *stream.timeline;
  engine_->wait(launching, executable.last);
  append(launching, {.name = "launch_graph", .is_work = false});
  const Moment start = engine_->now(launching);
  std::vector<Moment> reached;
  for (const CapturedGraph::Node& node : executable.graph->nodes) {
    Timeline& branch = *executable.branches[node.branch];
    engine_->wait(branch, start);
    for (const std::size_t earlier : node.after)
      engine_->wait(branch, reached[earlier]);
    replay_node(branch, node.task);
    reached.push_back(engine_->now(branch));
  }
  for (const Timeline* branch : executable.branches)
    engine_->wait(launching, engine_->now(*branch));
  // Until then the launch holds what the graph held.
  append(launching, {.name = "launch_graph",
                     .is_work = false,
                     .work = {.effect = [objects = executable.objects] {}}});
  executable.last = engine_->now(launching);
  engine_->progress_all(session.lock);
}

void World::drop_graph(Graph graph) {
  graphs_.remove(static_cast<std::uintptr_t>(graph));
  reclaim_graph_memory();
}

Status World::destroy_graph(Graph graph) {
  return call("destroy_graph", [&](Session&) {
    const auto* const ended = graphs_.find(static_cast<std::uintptr_t>(graph));
    if (ended == nullptr || (*ended)->is_capturing) return Status::invalid_value;
    drop_graph(graph);
    return Status::success;
  });
}

Status World::destroy_graph_exec(GraphExec graph) {
  return call("destroy_graph_exec", [&](Session& session) {
    if (const Status status = refuse_unsafe_to_cuda(session.thread); status != Status::success)
      return status;
    auto ended = executables_.remove(static_cast<std::uintptr_t>(graph));
    if (ended == nullptr) return Status::invalid_value;
    for (Timeline* branch : ended->branches)
      engine_->retire(*branch);
    ended->graph->has_executable = false;
    ended.reset();
    reclaim_graph_memory();
    return Status::success;
  });
}

}  // namespace dlcert::driver::simulated
