// SPDX-License-Identifier: Apache-2.0
//
// Memory that streams allocate and release, and the pools that it comes from. The rules are those
// of "Stream-Ordered Memory Allocator" in CUDA's programming guide and of its runtime's reference.

#include <algorithm>

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {
namespace {

std::uintptr_t place_number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

NamedAccess write_of_all(std::string_view name, const Allocation& allocation) {
  return {name, {AccessKind::write, {allocation.begin, allocation.bytes, {}}}};
}

// The levels that a program may set, to 0 only: the marks of the highest.
Level* mark_of(MemoryPool& pool, PoolAttribute attribute) {
  if (attribute == PoolAttribute::reserved_high) return &pool.reserved;
  return attribute == PoolAttribute::used_high ? &pool.used : nullptr;
}

bool is_reuse(PoolAttribute attribute) {
  return attribute >= PoolAttribute::reuse_follow_events &&
         attribute <= PoolAttribute::reuse_internal;
}

std::size_t index_of_reuse(PoolAttribute attribute) {
  return static_cast<std::size_t>(attribute) -
         static_cast<std::size_t>(PoolAttribute::reuse_follow_events);
}

Status read_level(const MemoryPool& pool, PoolAttribute attribute, std::uint64_t& out) {
  switch (attribute) {
    case PoolAttribute::reserved:
      out = pool.reserved.now;
      return Status::success;
    case PoolAttribute::reserved_high:
      out = pool.reserved.high;
      return Status::success;
    case PoolAttribute::used:
      out = pool.used.now;
      return Status::success;
    case PoolAttribute::used_high:
      out = pool.used.high;
      return Status::success;
    default:
      return Status::invalid_value;
  }
}

}  // namespace

// ---- allocation and release ---------------------------------------------------------------------

Status World::allocate_async(std::size_t bytes, Stream stream, void*& out) {
  return call(on_memory("allocate_async"), stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    return allocate_in(session, find_pool(pools_of(state->device()).current), bytes, *state, out);
  });
}

Status World::allocate_from(Pool pool, std::size_t bytes, Stream stream, void*& out) {
  return call(on_memory("allocate_from"), stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    const std::shared_ptr<MemoryPool> found = find_pool(pool);
    if (found == nullptr) return Status::invalid_value;
    return allocate_in(session, found, bytes, *state, out);
  });
}

Status World::allocate_in(Session& session, const std::shared_ptr<MemoryPool>& pool,
                          std::size_t bytes, StreamState& stream, void*& out) {
  const bool captured = stream.capture.has_value();
  if (captured && stream.capture->capture->invalidated) return Status::capture_invalidated;
  if (const Status status = refuse_legacy(stream); status != Status::success) return status;
  if (const Status status = captured ? Status::success : refuse_unsafe_to_cuda(session.thread);
      status != Status::success)
    return status;
  if (bytes == 0) return Status::invalid_value;
  if (!captured && !pool->has_room(bytes)) return Status::out_of_memory;
  DeviceArena& memory = arena(pool->device);
  void* const block = memory.allocate(bytes);
  if (block == nullptr) return Status::out_of_memory;
  out = block;
  Allocation& made = *memory_->insert({.begin = place_number(block),
                                       .bytes = bytes,
                                       .kind = MemoryKind::device,
                                       .device = pool->device,
                                       .stream_ordered = true});
  Task task{.name = "allocate_async",
            .is_work = false,
            .kind = NodeKind::allocation,
            .life = Life::begins};
  task.accesses.push_back(write_of_all(task.name, made));
  if (captured) return capture_allocation(stream, std::move(task), made);
  made.pool = pool;
  pool->take(memory.bytes_of(block));
  return submit(session, stream, std::move(task));
}

Status World::release_async(void* memory, Stream stream) {
  return call(on_memory("release_async"), stream, Event{}, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    StreamState* const state = find_stream(stream, session.thread);
    if (state == nullptr) return Status::invalid_handle;
    if (!state->capture)
      if (const Status status = refuse_unsafe_to_cuda(session.thread); status != Status::success)
        return status;
    if (memory == nullptr) return Status::success;
    if (state->capture && state->capture->capture->invalidated) return Status::capture_invalidated;
    const Allocation* const allocation = memory_->find(place_number(memory));
    if (allocation == nullptr || allocation->begin != place_number(memory) ||
        allocation->kind != MemoryKind::device || allocation->variable || allocation->range)
      return Status::invalid_value;
    if (state->capture) return capture_release(*state, *allocation);
    if (!allocation->alive) return Status::invalid_value;
    return submit(session, *state, make_release(*allocation));
  });
}

Task World::make_release(const Allocation& allocation) {
  Task task{.name = "release_async", .kind = NodeKind::release, .life = Life::ends};
  task.accesses.push_back(write_of_all(task.name, allocation));
  task.work.effect = [this, begin = allocation.begin, id = allocation.id] {
    Allocation* const ended = memory_->find(begin);
    if (ended != nullptr && ended->id == id) free_now(*ended);
  };
  return task;
}

// "cudaFree": nothing is waited for. That all accesses are over is the caller's promise, so that it
// counts as an access of the host to all of the memory.
void World::release_at_once(Allocation& allocation) {
  record_host_access(write_of_all("release", allocation));
  end_life(allocation, {});
  free_now(allocation);
}

// What was submitted to the last life of the same address may still run; the driver waits for its
// end. No program may rely on that: such memory is new to whoever uses it.
void World::begin_life(Timeline& timeline, const Task& task) {
  Allocation* const memory = memory_->find(task.accesses.front().access.bytes.begin);
  if (memory == nullptr || memory->graph == nullptr) return;
  engine_->run_behind(timeline, memory->graph->released);
  memory->history = {};
  memory->alive = true;
  set_mapped(*memory, true);
}

void World::end_life(Allocation& allocation, Position at) {
  allocation.alive = false;
  if (allocation.graph != nullptr) allocation.graph->released = at;
}

// ---- pools --------------------------------------------------------------------------------------

DevicePools& World::pools_of(int device) {
  DevicePools& pools = device_pools_[static_cast<std::size_t>(device)];
  if (pools.first == Pool{}) pools.first = pools.current = add_pool({.device = device});
  return pools;
}

Pool World::add_pool(MemoryPool pool) {
  auto made =
      std::make_unique<std::shared_ptr<MemoryPool>>(std::make_shared<MemoryPool>(std::move(pool)));
  std::erase_if(living_pools_, [](const auto& each) { return each.expired(); });
  living_pools_.push_back(*made);
  return Pool{pools_.add(std::move(made))};
}

std::shared_ptr<MemoryPool> World::find_pool(Pool pool) const {
  const auto* const found = pools_.find(static_cast<std::uintptr_t>(pool));
  return found != nullptr ? *found : nullptr;
}

// Where the host waits, pools give back what they keep beyond their thresholds.
void World::release_reserves() {
  for (const std::weak_ptr<MemoryPool>& each : living_pools_)
    if (const std::shared_ptr<MemoryPool> pool = each.lock()) pool->trim(pool->release_threshold);
}

template <class Body>
Status World::call_with_pool(Function function, Pool pool, Body&& body) {
  return call(function, [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const std::shared_ptr<MemoryPool> found = find_pool(pool);
    return found != nullptr ? body(*found) : Status::invalid_value;
  });
}

Status World::memory_info(std::uint64_t& free, std::uint64_t& total) {
  return call("memory_info", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const int device = session.thread.device;
    std::uint64_t taken = arena(device).bytes_in_use();
    const MemoryPool& graphs = device_pools_[static_cast<std::size_t>(device)].graphs;
    taken += graphs.reserved.now - graphs.used.now;
    for (const std::weak_ptr<MemoryPool>& each : living_pools_)
      if (const std::shared_ptr<MemoryPool> pool = each.lock(); pool && pool->device == device)
        taken += pool->reserved.now - pool->used.now;
    total = options_.memory_per_device;
    free = total - std::min(total, taken);
    return Status::success;
  });
}

Status World::default_pool(int device, Pool& out) {
  return call("default_pool", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    out = pools_of(device).first;
    return Status::success;
  });
}

Status World::current_pool(int device, Pool& out) {
  return call("current_pool", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    out = pools_of(device).current;
    return Status::success;
  });
}

Status World::set_current_pool(int device, Pool pool) {
  return call("set_current_pool", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    const std::shared_ptr<MemoryPool> found = find_pool(pool);
    if (found == nullptr || found->device != device) return Status::invalid_value;
    pools_of(device).current = pool;
    return Status::success;
  });
}

Status World::create_pool(int device, std::uint64_t bytes, Pool& out) {
  return call("create_pool", [&](Session&) {
    if (!has_device(device)) return Status::invalid_value;
    MemoryPool made{.device = device};
    if (bytes != 0) made.most = bytes;
    out = add_pool(std::move(made));
    return Status::success;
  });
}

Status World::destroy_pool(Pool pool) {
  return call("destroy_pool", [&](Session&) {
    const std::shared_ptr<MemoryPool> found = find_pool(pool);
    if (found == nullptr) return Status::invalid_value;
    DevicePools& pools = pools_of(found->device);
    if (pools.first == pool) return Status::invalid_value;
    if (pools.current == pool) pools.current = pools.first;
    pools_.remove(static_cast<std::uintptr_t>(pool));
    return Status::success;
  });
}

Status World::trim_pool(Pool pool, std::uint64_t kept) {
  return call_with_pool("trim_pool", pool, [&](MemoryPool& found) {
    found.trim(kept);
    return Status::success;
  });
}

Status World::pool_attribute(Pool pool, PoolAttribute attribute, std::uint64_t& out) {
  return call_with_pool("pool_attribute", pool, [&](const MemoryPool& found) {
    if (attribute == PoolAttribute::release_threshold)
      out = found.release_threshold;
    else if (is_reuse(attribute))
      out = found.reuse.at(index_of_reuse(attribute)) ? 1 : 0;
    else
      return read_level(found, attribute, out);
    return Status::success;
  });
}

Status World::set_pool_attribute(Pool pool, PoolAttribute attribute, std::uint64_t value) {
  return call_with_pool("set_pool_attribute", pool, [&](MemoryPool& found) {
    if (attribute == PoolAttribute::release_threshold)
      found.release_threshold = value;
    else if (is_reuse(attribute))
      found.reuse.at(index_of_reuse(attribute)) = value != 0;
    else if (Level* const level = mark_of(found, attribute); level != nullptr && value == 0)
      level->high = level->now;
    else
      return Status::invalid_value;
    return Status::success;
  });
}

Status World::pool_access(Pool pool, int device, PoolAccess& out) {
  return call_with_pool("pool_access", pool, [&](const MemoryPool& found) {
    if (!has_device(device)) return Status::invalid_value;
    const auto given = found.access.find(device);
    out = found.device == device        ? PoolAccess::read_write
          : given != found.access.end() ? given->second
                                        : PoolAccess::none;
    return Status::success;
  });
}

Status World::set_pool_access(Pool pool, int device, PoolAccess access) {
  return call_with_pool("set_pool_access", pool, [&](MemoryPool& found) {
    if (!has_device(device)) return Status::invalid_value;
    if (found.device != device)
      found.access[device] = access;
    else if (access != PoolAccess::read_write)
      return Status::invalid_value;  // a device keeps its own
    return Status::success;
  });
}

// ---- what the graphs of a device hold -----------------------------------------------------------

Status World::graph_memory(int device, PoolAttribute attribute, std::uint64_t& out) {
  return call("graph_memory", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    return read_level(device_pools_[static_cast<std::size_t>(device)].graphs, attribute, out);
  });
}

Status World::reset_graph_memory(int device, PoolAttribute attribute) {
  return call("reset_graph_memory", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    Level* const level = mark_of(device_pools_[static_cast<std::size_t>(device)].graphs, attribute);
    if (level == nullptr) return Status::invalid_value;
    level->high = level->now;
    return Status::success;
  });
}

}  // namespace dlcert::driver::simulated
