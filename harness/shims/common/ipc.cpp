// SPDX-License-Identifier: Apache-2.0

#include "shims/common/ipc.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <set>

#include "shims/common/per_world.hpp"

namespace dlcert::shim {
namespace {

enum class Exported : std::uint64_t { memory = 0x6d656d6f7279, event = 0x6576656e74 };

struct Handle {
  Exported kind{};
  std::int64_t process = 0;
  std::uint64_t number = 0;
  std::uint64_t unused[5] = {};
};
static_assert(sizeof(Handle) == ipc_handle_bytes);

struct SharedEvents {
  std::set<driver::Event> events;
};

void write(Exported kind, std::uint64_t number, void* out) {
  const Handle handle{kind, ::getpid(), number};
  std::memcpy(out, &handle, sizeof handle);
}

Status open(Exported kind, const void* from, const char* name, std::atomic_flag& reported) {
  Handle handle;
  std::memcpy(&handle, from, sizeof handle);
  if (handle.kind != kind) return Status::invalid_value;
  if (handle.process == ::getpid()) return Status::invalid_context;
  return not_modelled(name, reported);
}

}  // namespace

Status export_memory(SimulatedDriver& driver, const void* memory, void* handle) {
  driver::PointerAttributes found;
  driver::MemoryRange range;
  const Status status = driver.attributes(memory, found);
  if (status != Status::success) return status;
  const bool whole =
      driver.memory_range(memory, range) && range.begin == reinterpret_cast<std::uintptr_t>(memory);
  driver::PoolAccess unused{};
  const bool mapped = driver.mapped_access(memory, found.device, unused) == Status::success;
  if (found.kind != driver::MemoryKind::device || !whole || mapped) return Status::invalid_value;
  write(Exported::memory, range.id, handle);
  return Status::success;
}

Status export_event(SimulatedDriver& driver, driver::Event event, void* handle) {
  const bool is_shared = remembered<SharedEvents>().with(
      driver, [&](SharedEvents& shared) { return shared.events.contains(event); });
  if (!is_shared) return Status::invalid_handle;
  write(Exported::event, static_cast<std::uint64_t>(event), handle);
  return Status::success;
}

Status open_memory_handle(const void* handle, const char* name, std::atomic_flag& reported) {
  return open(Exported::memory, handle, name, reported);
}

Status open_event_handle(const void* handle, const char* name, std::atomic_flag& reported) {
  return open(Exported::event, handle, name, reported);
}

// Most programs share none, and end many.
void note_event(SimulatedDriver& driver, driver::Event event, bool is_shared) {
  static std::atomic<bool> any_is_shared{false};
  if (is_shared) any_is_shared = true;
  if (!any_is_shared) return;
  remembered<SharedEvents>().with(driver, [&](SharedEvents& shared) {
    if (is_shared)
      shared.events.insert(event);
    else
      shared.events.erase(event);
  });
}

}  // namespace dlcert::shim
