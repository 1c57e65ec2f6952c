// SPDX-License-Identifier: Apache-2.0
//
// The world as a whole, its devices and its errors.

#include "simulated/world.hpp"

#include <algorithm>
#include <stdexcept>

namespace dlcert::driver {

std::string_view to_text(Schedule schedule) noexcept {
  switch (schedule) {
    case Schedule::eager:
      return "eager";
    case Schedule::late:
      return "late";
    case Schedule::seeded:
      return "seeded";
  }
  return "unknown";
}

namespace simulated {
namespace {

constexpr int most_devices = 64;

thread_local ThreadState this_thread;

void check(const SimulatedOptions& options) {
  if (options.devices < 0 || options.devices > most_devices)
    throw std::invalid_argument("expected 0 to 64 devices but found " +
                                std::to_string(options.devices));
  if (options.memory_per_device == 0)
    throw std::invalid_argument("expected memory of 1 byte or more per device but found 0");
  if (options.version < 0)
    throw std::invalid_argument("expected version 0 or more but found " +
                                std::to_string(options.version));
  if (options.driver_version < 0)
    throw std::invalid_argument("expected driver_version 0 or more but found " +
                                std::to_string(options.driver_version));
}

}  // namespace

World::World(const SimulatedOptions& options) : options_{options} {
  check(options);
  make_devices();
}

void World::restart(const SimulatedOptions& options) {
  check(options);
  {
    const Lock lock{mutex_};
    streams_.clear();
    events_.clear();
    graphs_.clear();
    executables_.clear();
    captures_.clear();
    for (const auto& stream : default_streams_)
      stream->capture.reset();  // what a graph holds may not outlive the engine
    pools_.clear();
    user_objects_.clear();
    graphs_by_id_.clear();
    living_pools_.clear();
    physical_.clear();
    freed_ranges_.clear();
    reservations_ = 0;
    peers_.clear();
    variables_.clear();
    races_.clear();
    trace_.reset();
    ++world_;
  }
  // An engine of before a fork cannot be ended: what waits for its thread waits for ever.
  if (engine_is_inherited_)
    inherited_engines_.push_back(std::move(engine_));
  else
    engine_->stop();
  options_ = options;
  make_devices();
  set_recurring(false);
}

void World::after_fork_in_child() {
  engine_is_inherited_ = true;
  if (options_.ends_at_fork && called_) refusal_ = Status::not_initialized;
  mutex_.unlock();
}

void World::set_schedule(Schedule schedule, std::uint64_t seed) {
  const Lock lock{mutex_};
  options_.schedule = schedule;
  options_.seed = seed;
  engine_->set_schedule(schedule, seed);
}

void World::set_recurring(bool recurring) {
  const Lock lock{mutex_};
  recurring_ = recurring;
  streams_.set_recurring(recurring);
  events_.set_recurring(recurring);
  graphs_.set_recurring(recurring);
  executables_.set_recurring(recurring);
  for (const auto& arena : arenas_)
    if (arena != nullptr) arena->set_recurring(recurring);
}

void World::set_threads_apart(bool apart) {
  const Lock lock{mutex_};
  engine_->set_threads_apart(apart);
}

void World::make_devices() {
  engine_ = std::make_unique<Engine>(mutex_, options_);
  engine_is_inherited_ = false;
  called_ = false;
  refusal_ = options_.start_error;
  contexts_.clear();
  primaries_.clear();
  for (int device = 0; device < options_.devices; ++device)
    primaries_.push_back(static_cast<Context>(contexts_.add(std::make_unique<ContextState>(
        ContextState{{.device = device, .primary = true, .id = next_context_id_++}}))));
  memory_ = std::make_unique<MemoryTable>();
  graph_memory_.clear();
  device_pools_.assign(static_cast<std::size_t>(options_.devices), {});
  arenas_.clear();
  arenas_.resize(static_cast<std::size_t>(options_.devices));
  default_streams_.clear();
  by_timeline_.clear();
  for (int device = 0; device < options_.devices; ++device) {
    auto legacy = std::make_unique<StreamState>();
    legacy->timeline = &engine_->legacy(device);
    legacy->handle = Stream::legacy;
    legacy->id = next_stream_id_++;
    remember(*default_streams_.emplace_back(std::move(legacy)));
  }
}

ThreadState& World::thread_state() {
  if (this_thread.world != world_) {
    this_thread = {};
    this_thread.world = world_;
    this_thread.per_thread.resize(static_cast<std::size_t>(options_.devices));
  }
  return this_thread;
}

void World::finish(std::string_view function, Stream stream, Event event, const Session& session,
                   Status status) {
  if (status != Status::success) session.thread.last_error = status;
  if (trace_)
    trace_->push_back(
        {function, stream, event, session.thread.device, session.waited, status, session.written});
}

Status World::usable(ThreadState& thread) {
  if (options_.devices == 0) return Status::no_device;
  if (thread.contexts.empty()) use_in_runtime(thread, thread.device);
  ContextState* const current = find_context(thread.contexts.back());
  if (current == nullptr) return Status::context_is_destroyed;
  current->active = true;  // a primary one may have been reset
  return engine_->device_error(thread.device);
}

Status World::known(int device) const noexcept {
  if (options_.devices == 0) return Status::no_device;
  return has_device(device) ? Status::success : Status::invalid_device;
}

int World::version() const noexcept {
  if (options_.version != 0) return options_.version;
  return options_.vendor == Vendor::cuda ? 13000 : 50200000;
}

int World::driver_version() const noexcept {
  if (options_.driver_version != 0 || options_.start_error == Status::insufficient_driver)
    return options_.driver_version;
  return version();
}

// ---- devices ------------------------------------------------------------------------------------

Status World::device_count(int& count) {
  return call("device_count", [&](Session&) {
    if (options_.devices == 0) return Status::no_device;
    count = options_.devices;
    return Status::success;
  });
}

Status World::properties(int device, DeviceProperties& out) {
  return call("properties", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    const bool cuda = options_.vendor == Vendor::cuda;
    const auto ordinal = static_cast<std::uint8_t>(device);
    const SimulatedDevice model =
        ordinal < options_.models.size() ? options_.models[ordinal] : SimulatedDevice{};
    out = {};
    out.name = model.name;
    if (model.name.empty()) out.name = cuda ? "Simulated NVIDIA device" : "Simulated AMD device";
    out.uuid = {0x5d, 0x1c, 0xe2, 0x74, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, ordinal};
    out.pci_bus_id = "0000:" + std::string(1, "0123456789abcdef"[ordinal / 16 + 1]) +
                     std::string(1, "0123456789abcdef"[ordinal % 16]) + ":00.0";
    out.total_memory = options_.memory_per_device;
    out.major = model.major;
    out.minor = model.minor;
    return Status::success;
  });
}

Status World::current_device(int& device) {
  return call("current_device", [&](Session& session) {
    if (options_.devices == 0) return Status::no_device;
    device = session.thread.device;
    return Status::success;
  });
}

Status World::set_device(int device) {
  return call("set_device", [&](Session& session) {
    if (const Status status = known(device); status != Status::success) return status;
    use_in_runtime(session.thread, device);
    return Status::success;
  });
}

Status World::has_context(int device, bool& has) {
  return call("has_context", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    has = primary(device).active;
    return Status::success;
  });
}

Status World::synchronize_device() {
  return call("synchronize_device", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    if (const Status status = refuse_device_wait(session.thread.device); status != Status::success)
      return status;
    session.waited = true;
    engine_->synchronize_device(session.thread.device, session.lock);
    release_reserves();
    return engine_->device_error(session.thread.device);
  });
}

Status World::can_access_peer(int device, int peer, bool& can) {
  return call("can_access_peer", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    if (const Status status = known(peer); status != Status::success) return status;
    const auto& without = options_.without_peer_access;
    can = device != peer && std::ranges::find(without, std::pair{device, peer}) == without.end();
    return Status::success;
  });
}

Status World::enable_peer_access(int peer) {
  return call("enable_peer_access", [&](Session& session) {
    if (const Status status = known(peer); status != Status::success) return status;
    if (peer == session.thread.device) return Status::invalid_device;
    use(session.thread.device);
    use(peer);
    const bool added = peers_.emplace(session.thread.device, peer).second;
    return added ? Status::success : Status::peer_access_already_enabled;
  });
}

Status World::disable_peer_access(int peer) {
  return call("disable_peer_access", [&](Session& session) {
    if (const Status status = known(peer); status != Status::success) return status;
    const bool removed = peers_.erase({session.thread.device, peer}) != 0;
    return removed ? Status::success : Status::peer_access_not_enabled;
  });
}

// ---- errors -------------------------------------------------------------------------------------

Status World::take_error() {
  const Lock lock{mutex_};
  ThreadState& thread = thread_state();
  const Status error = thread.last_error;
  thread.last_error = options_.devices > 0 ? engine_->device_error(thread.device) : Status::success;
  return error;
}

Status World::peek_error() {
  const Lock lock{mutex_};
  return thread_state().last_error;
}

void World::fail_next_operation(int device, Status error) {
  const Lock lock{mutex_};
  if (has_device(device)) engine_->fail_next(device, error);
}

// ---- what can be seen ---------------------------------------------------------------------------

void World::start_trace() {
  const Lock lock{mutex_};
  trace_.emplace();
}

std::vector<Call> World::stop_trace() {
  const Lock lock{mutex_};
  return std::exchange(trace_, std::nullopt).value_or(std::vector<Call>{});
}

std::vector<int> World::devices_in_use() {
  const Lock lock{mutex_};
  std::vector<int> devices;
  for (int device = 0; device < options_.devices; ++device)
    if (primary(device).active) devices.push_back(device);
  return devices;
}

Living World::living() {
  const Lock lock{mutex_};
  const auto unused = std::ranges::count_if(graph_memory_, [&](std::uintptr_t begin) {
    const Allocation* const memory = find_graph_memory(begin);
    return memory != nullptr && !memory->alive;
  });
  const std::size_t none = static_cast<std::size_t>(unused) + variables_.size() + reservations_;
  return {memory_->size() - none + physical_.count(), streams_.count(), events_.count()};
}

std::size_t World::pending() {
  const Lock lock{mutex_};
  return engine_->pending();
}

}  // namespace simulated
}  // namespace dlcert::driver
