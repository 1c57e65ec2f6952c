// SPDX-License-Identifier: Apache-2.0

#include "simulated/clock.hpp"

#include <algorithm>

namespace dlcert::driver::simulated {

std::uint64_t Clock::of(std::uint32_t timeline) const noexcept {
  const auto found = std::ranges::lower_bound(entries_, timeline, {}, &Position::timeline);
  return found != entries_.end() && found->timeline == timeline ? found->number : 0;
}

void Clock::raise(Position position) {
  const auto place = std::ranges::lower_bound(entries_, position.timeline, {}, &Position::timeline);
  if (place == entries_.end() || place->timeline != position.timeline)
    entries_.insert(place, position);
  else
    place->number = std::max(place->number, position.number);
}

void Clock::learn(Position position, const Clock& other,
                  std::span<const std::uint64_t> host_knows) {
  std::vector<Position> merged;
  merged.reserve(entries_.size() + other.entries_.size() + 1);
  const auto add = [&](Position entry) {
    if (entry.number <= host_knows[entry.timeline]) return;
    if (!merged.empty() && merged.back().timeline == entry.timeline)
      merged.back().number = std::max(merged.back().number, entry.number);
    else
      merged.push_back(entry);
  };
  auto theirs = other.entries_.begin();
  for (const Position own : entries_) {
    while (theirs != other.entries_.end() && theirs->timeline <= own.timeline)
      add(*theirs++);
    add(own);
  }
  while (theirs != other.entries_.end())
    add(*theirs++);
  entries_ = std::move(merged);
  raise(position);
}

void SharedClock::learn(Position position, const Clock& other,
                        std::span<const std::uint64_t> host_knows) {
  auto learned = std::make_shared<Clock>(get());
  learned->learn(position, other, host_knows);
  clock_ = std::move(learned);
}

}  // namespace dlcert::driver::simulated
