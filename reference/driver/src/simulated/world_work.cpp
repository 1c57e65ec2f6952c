// SPDX-License-Identifier: Apache-2.0
//
// Copies, fills, host functions and launches of the simulated driver.

#include <algorithm>
#include <cstring>

#include "dlcert/driver/blocking_calls.hpp"

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {
namespace {

bool on_host(MemoryKind kind) {
  return kind == MemoryKind::pageable || kind == MemoryKind::pinned;
}

// Under unified addressing devices read and write pinned memory where the host does.
bool fits(CopyDirection direction, MemoryKind to, MemoryKind from) {
  const bool from_host = from != MemoryKind::device;
  const bool to_host = to != MemoryKind::device;
  const bool from_device = from != MemoryKind::pageable;
  const bool to_device = to != MemoryKind::pageable;
  switch (direction) {
    case CopyDirection::host_to_host:
      return from_host && to_host;
    case CopyDirection::host_to_device:
      return from_host && to_device;
    case CopyDirection::device_to_host:
      return from_device && to_host;
    case CopyDirection::device_to_device:
      return from_device && to_device;
    case CopyDirection::inferred:
      return true;
  }
  return false;
}

StridedBytes box_at(const void* begin, Pitches pitches, const Box& box) {
  StridedBytes bytes{reinterpret_cast<std::uintptr_t>(begin), box.row_bytes, {}};
  if (box.rows > 1) bytes.axes.push_back({box.rows, pitches.row});
  if (box.slices > 1) bytes.axes.push_back({box.slices, pitches.slice});
  return bytes;
}

// From the first byte to behind the last. False when the number does not fit.
bool reach_of(Pitches pitches, const Box& box, std::size_t& out) {
  std::size_t rows = 0, slices = 0;
  return !__builtin_mul_overflow(box.rows - 1, pitches.row, &rows) &&
         !__builtin_mul_overflow(box.slices - 1, pitches.slice, &slices) &&
         !__builtin_add_overflow(rows, slices, &out) &&
         !__builtin_add_overflow(out, box.row_bytes, &out);
}

bool is_empty(const Box& box) {
  return box.row_bytes == 0 || box.rows == 0 || box.slices == 0;
}

template <class Visit>
void for_each_row(const Box& box, Visit&& visit) {
  for (std::size_t slice = 0; slice < box.slices; ++slice)
    for (std::size_t row = 0; row < box.rows; ++row)
      visit(slice, row);
}

void copy_rows(std::byte* to, Pitches to_pitches, const std::byte* from, Pitches from_pitches,
               const Box& box) {
  for_each_row(box, [&](std::size_t slice, std::size_t row) {
    std::memmove(to + slice * to_pitches.slice + row * to_pitches.row,
                 from + slice * from_pitches.slice + row * from_pitches.row, box.row_bytes);
  });
}

}  // namespace

// ---- copies -------------------------------------------------------------------------------------

Status World::ends_of(const Copy& copy, Ends& out) {
  const std::size_t pitch = std::min(copy.to_pitches.row, copy.from_pitches.row);
  if (copy.box.rows > 1 && copy.box.row_bytes > pitch) return Status::invalid_value;
  std::size_t to_reach = 0, from_reach = 0;
  if (!reach_of(copy.to_pitches, copy.box, to_reach) ||
      !reach_of(copy.from_pitches, copy.box, from_reach))
    return Status::invalid_value;
  const auto to = place_of(copy.to, to_reach, AccessKind::write);
  const auto from = place_of(copy.from, from_reach, AccessKind::read);
  if (!to || !from || !fits(copy.direction, to->kind, from->kind)) return Status::invalid_value;
  out = {*to, *from};
  return Status::success;
}

// A staged copy takes the bytes of its source along at once.
Task World::make_copy(const Copy& copy, const Ends& ends, bool staged) {
  Task task{.name = copy.name, .kind = NodeKind::copy};
  const Access read{AccessKind::read, box_at(copy.from, copy.from_pitches, copy.box)};
  if (copy.order == SourceOrder::during_call)
    record_host_access({copy.name, read});
  else
    task.accesses.push_back({copy.name, read});
  task.accesses.push_back(
      {copy.name, {AccessKind::write, box_at(copy.to, copy.to_pitches, copy.box)}});
  std::byte* const to = ends.to.view;
  const Box box = copy.box;
  const Pitches pitches = copy.to_pitches;
  if (staged) {
    const Pitches dense{box.row_bytes, box.row_bytes * box.rows};
    const auto taken = std::make_shared<std::vector<std::byte>>(dense.slice * box.slices);
    copy_rows(taken->data(), dense, ends.from.view, copy.from_pitches, box);
    task.work.effect = [=] { copy_rows(to, pitches, taken->data(), dense, box); };
  } else {
    task.work.effect = [=, from = static_cast<const std::byte*>(ends.from.view),
                        from_pitches = copy.from_pitches] {
      copy_rows(to, pitches, from, from_pitches, box);
    };
  }
  return task;
}

Status World::copy_on(Session& session, const Copy& copy, Stream stream, Blocking blocking) {
  if (const Status status = usable(session.thread); status != Status::success) return status;
  StreamState* const state = find_stream(stream, session.thread);
  if (state == nullptr) return Status::invalid_handle;
  if (is_empty(copy.box)) return refuse_legacy(*state);
  Ends ends;
  if (const Status status = ends_of(copy, ends); status != Status::success) return status;
  const bool on_host_only = on_host(ends.to.kind) && on_host(ends.from.kind);
  const bool captured = state->capture.has_value();
  const bool pageable =
      ends.to.kind == MemoryKind::pageable || ends.from.kind == MemoryKind::pageable;
  // With pageable memory an asynchronous copy might be synchronous: so it is where the schedule
  // runs it at once. HIP's always is. A graph's copy reads and writes it when it is launched.
  const bool synchronous = pageable && !on_host_only && !captured &&
                           (blocking == Blocking::yes || options_.vendor == Vendor::rocm);
  const bool staged = copy.order == SourceOrder::during_call ||
                      (synchronous && ends.from.kind == MemoryKind::pageable);
  const Status status = submit(session, *state, make_copy(copy, ends, staged));
  if (status != Status::success || captured) return status;
  // Between host memories even an asynchronous copy is synchronous. One into pageable memory has
  // run, but no program may rely on it.
  if (on_host_only) {
    synchronize(session, *state);
  } else if (synchronous && ends.to.kind == MemoryKind::pageable) {
    session.waited = true;
    engine_->run(engine_->now(*state->timeline), session.lock);
  }
  return status;
}

// A stream is waited for before pageable memory is staged, and not every copy waits for its end.
Status World::copy_now(Session& session, const Copy& copy, Stream stream) {
  if (const Status status = usable(session.thread); status != Status::success) return status;
  if (const Status status = refuse_blocking_copy(); status != Status::success) return status;
  StreamState* const state = find_stream(stream, session.thread);
  if (state == nullptr) return Status::invalid_handle;
  if (is_empty(copy.box)) return refuse_legacy(*state);
  Ends ends;
  if (const Status status = ends_of(copy, ends); status != Status::success) return status;
  if (ends.from.kind == MemoryKind::pageable) {
    const Status status = synchronize_unless_captured(session, *state);
    if (status != Status::success) return status;
  }
  const Status status = copy_on(session, copy, stream, Blocking::yes);
  const bool waits = copy_waits_for_its_end(ends.to.kind, ends.from.kind);
  return status == Status::success && waits ? synchronize_unless_captured(session, *state) : status;
}

Status World::copy(void* to, const void* from, std::size_t bytes, CopyDirection direction) {
  return call(on_memory("copy"), [&](Session& session) {
    return copy_now(session, {"copy", to, {}, from, {}, {bytes}, direction}, Stream::legacy);
  });
}

Status World::copy_box(void* to, Pitches to_pitches, const void* from, Pitches from_pitches,
                       const Box& box, CopyDirection direction, Stream stream) {
  return call(on_memory("copy_box"), stream, Event{}, [&](Session& session) {
    return copy_now(session, {"copy_box", to, to_pitches, from, from_pitches, box, direction},
                    stream);
  });
}

Status World::copy_async(void* to, const void* from, std::size_t bytes, CopyDirection direction,
                         Stream stream) {
  return call(on_memory("copy_async"), stream, Event{}, [&](Session& session) {
    return copy_on(session, {"copy_async", to, {}, from, {}, {bytes}, direction}, stream,
                   Blocking::no);
  });
}

Status World::copy_2d_async(void* to, std::size_t to_pitch, const void* from,
                            std::size_t from_pitch, std::size_t row_bytes, std::size_t rows,
                            CopyDirection direction, Stream stream) {
  return call(on_memory("copy_2d_async"), stream, Event{}, [&](Session& session) {
    return copy_on(
        session,
        {"copy_2d_async", to, {to_pitch}, from, {from_pitch}, {row_bytes, rows}, direction}, stream,
        Blocking::no);
  });
}

Status World::copy_peer_async(void* to, int to_device, const void* from, int from_device,
                              std::size_t bytes, Stream stream) {
  return call(on_memory("copy_peer_async"), stream, Event{}, [&](Session& session) {
    if (const Status status = known(to_device); status != Status::success) return status;
    if (const Status status = known(from_device); status != Status::success) return status;
    use(to_device);
    use(from_device);
    return copy_on(session,
                   {"copy_peer_async", to, {}, from, {}, {bytes}, CopyDirection::device_to_device},
                   stream, Blocking::no);
  });
}

Status World::copy_box_async(void* to, Pitches to_pitches, const void* from, Pitches from_pitches,
                             const Box& box, CopyDirection direction, SourceOrder order,
                             Stream stream) {
  return call(on_memory("copy_box_async"), stream, Event{}, [&](Session& session) {
    const Copy copy{"copy_box_async", to, to_pitches, from, from_pitches, box, direction, order};
    return copy_on(session, copy, stream, Blocking::no);
  });
}

// ---- fills --------------------------------------------------------------------------------------

Task World::make_fill(std::string_view name, void* memory, std::byte* view, std::uint8_t value,
                      Pitches pitches, const Box& box) {
  Task task{.name = name, .kind = NodeKind::fill};
  task.work.effect = [=] {
    for_each_row(box, [&](std::size_t slice, std::size_t row) {
      std::memset(view + slice * pitches.slice + row * pitches.row, value, box.row_bytes);
    });
  };
  task.accesses.push_back({name, {AccessKind::write, box_at(memory, pitches, box)}});
  return task;
}

Status World::fill(void* memory, std::uint8_t value, std::size_t bytes) {
  return call(on_memory("fill"), [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    if (const Status status = refuse_blocking_copy(); status != Status::success) return status;
    if (bytes == 0) return Status::success;
    const auto place = place_of(memory, bytes, AccessKind::write);
    if (!place || place->kind == MemoryKind::pageable) return Status::invalid_value;
    StreamState& legacy = *find_stream(Stream::legacy, session.thread);
    const Status status =
        submit(session, legacy, make_fill("fill", memory, place->view, value, {}, {bytes}));
    if (status == Status::success && fill_waits_for_its_end(options_.vendor, place->kind))
      synchronize(session, legacy);
    return status;
  });
}

Status World::fill_async(void* memory, std::uint8_t value, std::size_t bytes, Stream stream) {
  return call(on_memory("fill_async"), stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (bytes == 0) return refuse_legacy(*state);
    const auto place = place_of(memory, bytes, AccessKind::write);
    if (!place || place->kind == MemoryKind::pageable) return Status::invalid_value;
    return submit(session, *state,
                  make_fill("fill_async", memory, place->view, value, {}, {bytes}));
  });
}

Status World::fill_box_async(void* memory, Pitches pitches, std::uint8_t value, const Box& box,
                             Stream stream) {
  return call(on_memory("fill_box_async"), stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (is_empty(box)) return refuse_legacy(*state);
    std::size_t reach = 0;
    if (!reach_of(pitches, box, reach)) return Status::invalid_value;
    const auto place = place_of(memory, reach, AccessKind::write);
    if (!place || place->kind == MemoryKind::pageable) return Status::invalid_value;
    return submit(session, *state,
                  make_fill("fill_box_async", memory, place->view, value, pitches, box));
  });
}

// ---- what is not a copy -------------------------------------------------------------------------

Status World::launch_host_function(Stream stream, HostFunction function, void* data) {
  return call("launch_host_function", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (function == nullptr) return Status::invalid_value;
    return submit(session, *state,
                  {.name = "launch_host_function",
                   .kind = NodeKind::host_function,
                   .work = {.function = function, .data = data}});
  });
}

// Real launches answer 400 to a stream of another device.
Status World::launch(std::string_view name, Stream stream, std::span<const Access> accesses) {
  const Status answer = call("launch", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr || state->device() != session.thread.device) return Status::invalid_handle;
    Task task{.name = keep_name(name), .is_opaque = accesses.empty()};
    for (const Access& access : accesses)
      task.accesses.push_back({task.name, access});
    if (accesses.empty()) ++opaque_launches_;
    return submit(session, *state, std::move(task));
  });
  RaceWatcher* const watcher = watcher_;
  if (watcher != nullptr && accesses.empty() && answer == Status::success) watcher->launched();
  return answer;
}

Status World::submit_nothing(std::string_view name, Stream stream) {
  return call("submit_nothing", stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (state->capture) return Status::capture_unsupported;
    return submit(session, *state, {.name = keep_name(name)});
  });
}

Status World::fence(int device) {
  Lock lock{mutex_};
  if (const Status status = known(device); status != Status::success) return status;
  engine_->fence(device);
  engine_->progress(engine_->legacy(device), lock);
  return Status::success;
}

}  // namespace dlcert::driver::simulated
