// SPDX-License-Identifier: Apache-2.0
//
// Races: pairs of accesses that nothing orders, and their description.

#include <cxxabi.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>

#include "simulated/world.hpp"

namespace dlcert::driver {

std::string Race::text() const {
  return first + " and " + second + " are not ordered: " + missing;
}

namespace simulated {
namespace {

constexpr std::size_t most_races = 100;
// A history of this many accesses is searched for those that the host knows to have ended.
constexpr std::size_t long_history = 256;

std::string hexadecimal(std::uintptr_t value) {
  std::string digits;
  do
    digits.insert(digits.begin(), "0123456789abcdef"[value % 16]);
  while ((value /= 16) != 0);
  return "0x" + digits;
}

// Kernels have mangled names. Only what is shown pays for reading them.
std::string shown(const char* name) {
  if (!std::string_view{name}.starts_with("_Z")) return name;
  int error = 0;
  const std::unique_ptr<char, void (*)(void*)> text{
      abi::__cxa_demangle(name, nullptr, nullptr, &error), std::free};
  return error == 0 ? text.get() : name;
}

}  // namespace

std::string_view World::keep_name(std::string_view name) {
  const auto found = names_.find(name);
  return found != names_.end() ? *found : *names_.emplace(name).first;
}

// A kept name as the number that an access history stores.
static std::uint64_t number_of(std::string_view name) {
  return reinterpret_cast<std::uint64_t>(name.data());
}

std::string World::where(Position at) const {
  if (engine_->is_host(at)) return at.timeline == 0 ? "the host" : "a thread of the host";
  const Timeline& timeline = engine_->timeline(at.timeline);
  const std::string device = " of device " + std::to_string(timeline.device);
  const StreamState* const stream =
      by_timeline_.size() > at.timeline ? by_timeline_[at.timeline] : nullptr;
  if (stream == nullptr) return "a graph's branch or a destroyed stream" + device;
  if (stream->handle == Stream::legacy) return "the legacy default stream" + device;
  if (stream->handle == Stream::per_thread) return "a per-thread default stream" + device;
  return "stream " + hexadecimal(static_cast<std::uintptr_t>(stream->handle)) + device;
}

std::string World::describe(AccessKind kind, std::uint64_t name, Position at) const {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): what number_of() made
  const char* const text = reinterpret_cast<const char*>(name);
  return (kind == AccessKind::write ? "write by " : "read by ") + shown(text) + ", operation " +
         std::to_string(at.number) + " of " + where(at);
}

void World::report_outside_life(const Allocation& allocation, std::string_view name,
                                const Access& access, Position at, std::uint64_t place) {
  if (!is_new_race(place, 0)) return;
  races_.push_back({describe(access.kind, number_of(name), at), "the life of the memory",
                    access.bytes.begin, access.bytes.begin + access.bytes.run,
                    "it was released, or is not allocated yet (" +
                        std::to_string(access.bytes.begin - allocation.begin) +
                        " bytes into an allocation of " + std::to_string(allocation.bytes) + ")",
                    place});
}

bool World::is_alive(const Access& access) {
  const Allocation* const allocation = memory_->find(access.bytes.begin);
  return allocation == nullptr || is_alive(*allocation, access.bytes.begin);
}

bool World::is_alive(const Allocation& allocation, std::uintptr_t address) {
  return allocation.range != nullptr ? allocation.range->find(address) != nullptr
                                     : allocation.alive;
}

void World::record_access(std::string_view name, const Access& access, Position at,
                          const Timeline& timeline, std::uint64_t place) {
  Allocation* const allocation = memory_->find(access.bytes.begin);
  if (allocation == nullptr || access.bytes.run == 0) return;
  if (!is_alive(*allocation, access.bytes.begin))
    return report_outside_life(*allocation, name, access, at, place);
  const auto is_before = [&](Position earlier) { return engine_->is_before(earlier, timeline); };
  const auto on_race = [&](const RecordedAccess& earlier, Range common) {
    // What orders two threads of the host is not seen here.
    const bool both_of_host = engine_->is_host(earlier.at) && engine_->is_host(at);
    if (both_of_host || !is_new_race(earlier.place, place)) return;
    races_.push_back(
        {describe(earlier.kind, earlier.operation, earlier.at),
         describe(access.kind, number_of(name), at), common.begin, common.end,
         "nothing makes " + where(at) + " wait for operation " + std::to_string(earlier.at.number) +
             " of " + where(earlier.at) + " (bytes " + hexadecimal(common.begin) + " to " +
             hexadecimal(common.end) + ", " + std::to_string(common.begin - allocation->begin) +
             " bytes into an allocation of " + std::to_string(allocation->bytes) + ")",
         earlier.place, place});
  };
  AccessHistory& history = allocation->history;
  if (std::has_single_bit(history.size()) && history.size() >= long_history)
    history.forget([&](Position earlier) { return engine_->known_by_host(earlier); });
  history.add({at, access.kind, access.bytes, number_of(name), place}, is_before, on_race);
}

void World::record_host_access(const NamedAccess& named) {
  record_access(named.name, named.access, engine_->host_step(), engine_->host(),
                thread_state().place);
}

void World::host_access(std::string_view name, const Access& access) {
  const Lock lock{mutex_};
  record_host_access({keep_name(name), access});
}

void World::begin_scope(std::string_view name, const Access& access) {
  const Lock lock{mutex_};
  thread_state().scopes.push_back({keep_name(name), access});
}

void World::end_scope(bool host) {
  const Lock lock{mutex_};
  std::vector<NamedAccess>& scopes = thread_state().scopes;
  if (scopes.empty()) return;
  const NamedAccess ended = std::move(scopes.back());
  scopes.pop_back();
  if (host && is_alive(ended.access)) record_host_access(ended);
}

bool World::has_unfinished_write(const void* begin, std::size_t bytes) {
  const Lock lock{mutex_};
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const Allocation* const allocation = memory_->find(first);
  if (allocation == nullptr) return false;
  const Timeline& host = engine_->host();
  return allocation->history.any_of({first, bytes, {}}, [&](const RecordedAccess& access) {
    return access.kind == AccessKind::write && !engine_->is_host(access.at) &&
           !engine_->is_before(access.at, host);
  });
}

std::vector<Race> World::take_races() {
  const Lock lock{mutex_};
  return std::exchange(races_, {});
}

void World::watch_races(RaceWatcher* watcher) {
  const Lock lock{mutex_};
  watcher_ = watcher;
  told_races_.clear();
}

std::uint64_t World::place_of_caller(Function function) {
  RaceWatcher* const watcher = watcher_;
  return watcher != nullptr && function.touches_memory ? watcher->place() : 0;
}

bool World::is_new_race(std::uint64_t first_place, std::uint64_t second_place) {
  return watcher_ != nullptr ? told_races_.emplace(first_place, second_place).second
                             : races_.size() < most_races;
}

void World::tell_races() {
  RaceWatcher* const watcher = watcher_;
  if (watcher == nullptr) return;
  for (const Race& race : take_races())
    watcher->found(race);
}

void World::note_limit(std::string limit) {
  constexpr std::size_t kept = 100;
  const std::lock_guard lock{limits_mutex_};
  if (limits_.size() == kept || std::ranges::find(limits_, limit) != limits_.end()) return;
  limits_.push_back(std::move(limit));
  if (limits_told_) limits_told_(limits_.back());
}

std::vector<std::string> World::take_limits() {
  const std::lock_guard lock{limits_mutex_};
  if (limits_told_) limits_told_({});
  return std::exchange(limits_, {});
}

void World::tell_limits(std::function<void(const std::string&)> told) {
  const std::lock_guard lock{limits_mutex_};
  limits_told_ = std::move(told);
}

}  // namespace simulated
}  // namespace dlcert::driver
