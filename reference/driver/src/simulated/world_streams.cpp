// SPDX-License-Identifier: Apache-2.0
//
// Streams and events of the simulated driver.

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {

// ---- finding ------------------------------------------------------------------------------------

StreamState& World::per_thread_stream(ThreadState& thread) {
  StreamState*& own = thread.per_thread[static_cast<std::size_t>(thread.device)];
  if (own == nullptr) {
    auto made = std::make_unique<StreamState>();
    made->timeline = &engine_->add_timeline(thread.device, false, true);
    made->handle = Stream::per_thread;
    made->id = next_stream_id_++;
    own = default_streams_.emplace_back(std::move(made)).get();
    remember(*own);
  }
  return *own;
}

StreamState* World::find_stream(Stream stream, ThreadState& thread) {
  switch (stream) {
    case Stream::null:
    case Stream::legacy:
      return default_streams_[static_cast<std::size_t>(thread.device)].get();
    case Stream::per_thread:
      return &per_thread_stream(thread);
    default:
      return streams_.find(static_cast<std::uintptr_t>(stream));
  }
}

void World::remember(StreamState& stream) {
  const std::uint32_t index = stream.timeline->index;
  if (by_timeline_.size() <= index) by_timeline_.resize(index + 1);
  by_timeline_[index] = &stream;
}

// The legacy default stream is idle when the blocking streams are, too.
std::vector<Moment> World::everything_of(const StreamState& stream) {
  std::vector<Moment> moments{engine_->now(*stream.timeline)};
  if (stream.timeline->legacy)
    for (const Timeline* other : engine_->active(stream.device()))
      moments.push_back(engine_->now(*other));
  return moments;
}

void World::synchronize(Session& session, const StreamState& stream) {
  session.waited = true;
  for (const Moment& moment : everything_of(stream))
    engine_->synchronize(moment, session.lock);
}

Status World::synchronize_unless_captured(Session& session, const StreamState& stream) {
  if (const Status status = refuse_captured(stream); status != Status::success) return status;
  synchronize(session, stream);
  return Status::success;
}

Status World::submit(Session& session, StreamState& stream, Task task) {
  if (task.is_opaque)
    task.accesses.insert(task.accesses.end(), session.thread.scopes.begin(),
                         session.thread.scopes.end());
  for (const NamedAccess& one : task.accesses)
    if (one.access.kind == AccessKind::write) session.written = one.access.bytes.begin;
  if (stream.capture) return capture_task(stream, std::move(task));
  if (const Status status = refuse_legacy(stream); status != Status::success) return status;
  Timeline& timeline = *stream.timeline;
  append(timeline, task);
  engine_->progress(timeline, session.lock);
  return Status::success;
}

void World::append(Timeline& timeline, const Task& task) {
  if (task.life == Life::begins) begin_life(timeline, task);
  engine_->submit(timeline, task.is_work, task.work);
  const std::uint64_t place = task.place != 0 ? task.place : thread_state().place;
  for (const auto& [name, access] : task.accesses)
    if (!task.is_opaque || is_alive(access))  // what has ended was not meant
      record_access(name, access, timeline.last(), timeline, place);
  if (task.life != Life::ends) return;
  if (Allocation* const ended = memory_->find(task.accesses.front().access.bytes.begin))
    end_life(*ended, timeline.last());
}

// ---- streams ------------------------------------------------------------------------------------

Status World::create_stream(StreamKind kind, int priority, Stream& out) {
  return call("create_stream", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const bool blocking = kind == StreamKind::blocking;
    auto made = std::make_unique<StreamState>();
    made->timeline = &engine_->add_timeline(session.thread.device, false, blocking);
    made->kind = kind;
    const PriorityRange range = stream_priorities(options_.vendor);
    made->priority = std::clamp(priority, range.greatest, range.least);
    made->id = next_stream_id_++;
    StreamState& state = *made;
    remember(state);
    state.handle = Stream{streams_.add(std::move(made))};
    out = state.handle;
    return Status::success;
  });
}

Status World::destroy_stream(Stream stream) {
  return call("destroy_stream", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = streams_.find(static_cast<std::uintptr_t>(stream));
    if (state == nullptr) return Status::invalid_handle;
    end_stream(*state);
    return Status::success;
  });
}

void World::end_stream(StreamState& stream) {
  if (stream.capture) {
    const std::shared_ptr<Capture> held = stream.capture->capture;
    held->invalidated = true;
    if (held->origin == stream.timeline->index) {
      leave_capture(*held);
      drop_graph(held->handle);
    }
  }
  by_timeline_[stream.timeline->index] = nullptr;
  engine_->retire(*stream.timeline);
  streams_.remove(static_cast<std::uintptr_t>(stream.handle));
}

Status World::query_stream(Stream stream) {
  return call("query_stream", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (const Status status = refuse_question(*state, session.thread); status != Status::success)
      return status;
    const int device = state->device();
    const bool reached = engine_->query(everything_of(*state), session.lock);
    return reached ? engine_->device_error(device) : Status::not_ready;
  });
}

Status World::synchronize_stream(Stream stream) {
  return call("synchronize_stream", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (const Status status = refuse_question(*state, session.thread); status != Status::success)
      return status;
    const int device = state->device();
    synchronize(session, *state);
    release_reserves();
    return engine_->device_error(device);
  });
}

Status World::stream_kind(Stream stream, StreamKind& out) {
  return call("stream_kind", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    out = state->kind;
    return Status::success;
  });
}

Status World::stream_id(Stream stream, std::uint64_t& out) {
  return call("stream_id", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    out = state->id;
    return Status::success;
  });
}

Status World::stream_details(Stream stream, StreamDetails& out) {
  return call("stream_details", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    out = {state->device(), state->priority};
    return Status::success;
  });
}

Status World::wait_event(Stream stream, Event event) {
  return call("wait_event", stream, event, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    const EventState* const waited = events_.find(static_cast<std::uintptr_t>(event));
    if (state == nullptr || waited == nullptr) return Status::invalid_handle;
    if (state->capture || waited->capture) return wait_in_capture(*state, *waited);
    if (const Status status = refuse_legacy(*state); status != Status::success) return status;
    if (waited->moment.position.number == 0) return Status::success;
    engine_->wait(*state->timeline, waited->moment);
    return submit(session, *state, {.name = "wait_event", .is_work = false});
  });
}

// ---- events -------------------------------------------------------------------------------------

Status World::create_event(EventTiming timing, Event& out) {
  return call("create_event", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    auto made = std::make_unique<EventState>();
    made->device = session.thread.device;
    made->timing = timing;
    out = Event{events_.add(std::move(made))};
    return Status::success;
  });
}

Status World::destroy_event(Event event) {
  return call("destroy_event", Stream::null, event, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const auto ended = events_.remove(static_cast<std::uintptr_t>(event));
    return ended != nullptr ? Status::success : Status::invalid_handle;
  });
}

Status World::record_event(Event event, Stream stream) {
  return call("record_event", stream, event, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    EventState* const recorded = events_.find(static_cast<std::uintptr_t>(event));
    if (state == nullptr || recorded == nullptr || recorded->device != state->device())
      return Status::invalid_handle;
    if (state->capture) {
      if (state->capture->capture->invalidated) return Status::capture_invalidated;
      recorded->capture = state->capture;
      return Status::success;
    }
    std::shared_ptr<std::uint64_t> ran_at;
    const Status status = submit(session, *state, make_record(recorded->timing, ran_at));
    if (status != Status::success) return status;
    finish_record(*recorded, std::move(ran_at), *state->timeline);
    return Status::success;
  });
}

Task World::make_record(EventTiming timing, std::shared_ptr<std::uint64_t>& ran_at) {
  if (timing == EventTiming::enabled) ran_at = std::make_shared<std::uint64_t>(0);
  Task task{.name = "record_event", .is_work = ran_at != nullptr};
  if (ran_at) task.work.effect = [this, ran_at] { *ran_at = engine_->operations_run(); };
  return task;
}

// The task is the last of `timeline`.
void World::finish_record(EventState& event, std::shared_ptr<std::uint64_t> ran_at,
                          const Timeline& timeline) {
  event.capture.reset();
  event.ran_at = std::move(ran_at);
  event.moment = engine_->now(timeline);
}

Status World::query_event(Event event) {
  return call("query_event", Stream::null, event, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const EventState* const asked = events_.find(static_cast<std::uintptr_t>(event));
    if (asked == nullptr) return Status::invalid_handle;
    if (const Status status = refuse_question(*asked, session.thread); status != Status::success)
      return status;
    if (asked->moment.position.number == 0) return Status::success;
    const int device = asked->device;
    const bool reached = engine_->query({asked->moment}, session.lock);
    return reached ? engine_->device_error(device) : Status::not_ready;
  });
}

Status World::synchronize_event(Event event) {
  return call("synchronize_event", Stream::null, event, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const EventState* const awaited = events_.find(static_cast<std::uintptr_t>(event));
    if (awaited == nullptr) return Status::invalid_handle;
    if (const Status status = refuse_question(*awaited, session.thread); status != Status::success)
      return status;
    if (awaited->moment.position.number == 0) return Status::success;
    const int device = awaited->device;
    session.waited = true;
    engine_->synchronize(Moment{awaited->moment}, session.lock);
    release_reserves();
    return engine_->device_error(device);
  });
}

// Operations stand in for time: each takes a microsecond.
Status World::elapsed_milliseconds(Event start, Event end, float& out) {
  return call("elapsed_milliseconds", Stream::null, end, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const EventState* const first = events_.find(static_cast<std::uintptr_t>(start));
    const EventState* const last = events_.find(static_cast<std::uintptr_t>(end));
    if (first == nullptr || last == nullptr) return Status::invalid_handle;
    if (is_of_lost_capture(*first) || is_of_lost_capture(*last)) return Status::invalid_value;
    if (options_.vendor == Vendor::cuda && (first->capture || last->capture))
      return Status::captured_event;
    if (first->device != last->device || !first->ran_at || !last->ran_at)
      return Status::invalid_handle;
    const std::shared_ptr<std::uint64_t> from = first->ran_at, to = last->ran_at;
    if (!engine_->query({first->moment, last->moment}, session.lock)) return Status::not_ready;
    const auto operations = static_cast<std::int64_t>(*to - *from);
    out = static_cast<float>(operations) / 1000.0F;
    return Status::success;
  });
}

}  // namespace dlcert::driver::simulated
