// SPDX-License-Identifier: Apache-2.0
//
// What belongs to a device as a whole: the variables of programs, and its end.

#include <cstring>

#include "simulated/world.hpp"

namespace dlcert::driver::simulated {

Status World::device_variable(const void* key, std::size_t bytes, void*& out, bool& made) {
  return call("device_variable", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    const int device = session.thread.device;
    const auto found = variables_.find({device, key});
    made = found == variables_.end();
    if (!made) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the table keeps addresses as numbers
      out = reinterpret_cast<void*>(found->second);
      return Status::success;
    }
    void* const memory = arena(device).allocate(bytes);
    if (memory == nullptr) return Status::out_of_memory;
    std::memset(arena(device).view(memory), 0, bytes);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    memory_->insert({.begin = begin, .bytes = bytes, .device = device, .variable = true});
    variables_.emplace(std::pair{device, key}, begin);
    out = memory;
    return Status::success;
  });
}

void World::drop_device_variable(const void* key) {
  const Lock lock{mutex_};
  std::erase_if(variables_, [&](const auto& variable) {
    if (variable.first.second != key) return false;
    free_now(*memory_->find(variable.second));
    return true;
  });
}

Status World::init_device(int device) {
  return call("init_device", [&](Session&) {
    if (const Status status = known(device); status != Status::success) return status;
    primary(device).active = primary(device).of_runtime = true;
    return engine_->device_error(device);
  });
}

Status World::reset_device() {
  return call("reset_device", [&](Session& session) {
    if (const Status status = usable(session.thread); status != Status::success) return status;
    end_device(session, session.thread.device);
    return Status::success;
  });
}

// What was submitted earlier still finds its memory, and the host learns nothing. Default streams,
// graphs and what a stream allocated are not among what the manual lists, and memory that is mapped
// is of no context.
void World::end_device(Session& session, int device) {
  for (int each = 0; each < options_.devices; ++each)
    engine_->run_device(each, session.lock);
  const auto is_here = [&](const auto& object) { return object.device() == device; };
  for (const std::uintptr_t stream : streams_.handles(is_here))
    end_stream(*streams_.find(stream));
  for (const std::uintptr_t event :
       events_.handles([&](const EventState& each) { return each.device == device; }))
    events_.remove(event);
  std::erase_if(variables_, [&](const auto& each) { return each.first.first == device; });
  for (const std::uintptr_t begin : memory_->begins([&](const Allocation& each) {
         return each.device == device && !each.stream_ordered && each.range == nullptr;
       }))
    free_now(*memory_->find(begin));
  std::erase_if(peers_,
                [&](const auto& pair) { return pair.first == device || pair.second == device; });
  primary(device).active = primary(device).of_runtime = false;
}

std::uint64_t World::restarts() {
  const Lock lock{mutex_};
  return world_;
}

}  // namespace dlcert::driver::simulated
