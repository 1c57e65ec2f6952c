// SPDX-License-Identifier: Apache-2.0
//
// Nodes that record events and wait for them, which order a graph with what is outside of it.
// Source: CUDA Runtime API, cudaEventRecordExternal and cudaEventWaitExternal.

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {

Status World::record_event_in_graph(Event event, Stream stream) {
  return capture_event_node("record_event_in_graph", stream, event, NodeKind::record_event);
}

Status World::wait_event_in_graph(Stream stream, Event event) {
  return capture_event_node("wait_event_in_graph", stream, event, NodeKind::wait_event);
}

Status World::capture_event_node(Function function, Stream stream, Event event, NodeKind kind) {
  return call(function, stream, event, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    const EventState* const named = events_.find(static_cast<std::uintptr_t>(event));
    const bool records = kind == NodeKind::record_event;
    if (state == nullptr || named == nullptr || (records && named->device != state->device()))
      return Status::invalid_handle;
    if (!state->capture) return Status::invalid_value;
    return capture_task(*state, {.name = records ? "record_event" : "wait_event",
                                 .is_work = false,
                                 .kind = kind,
                                 .event = event});
  });
}

// An event that was destroyed since orders nothing: to launch its graph is undefined.
void World::replay_node(Timeline& branch, const Task& task) {
  EventState* const event = events_.find(static_cast<std::uintptr_t>(task.event));
  if (event == nullptr) return append(branch, task);
  if (task.kind == NodeKind::wait_event) {
    engine_->wait(branch, event->moment);
    return append(branch, task);
  }
  std::shared_ptr<std::uint64_t> ran_at;
  append(branch, make_record(event->timing, ran_at));
  finish_record(*event, std::move(ran_at), branch);
}

}  // namespace dlcert::driver::simulated
