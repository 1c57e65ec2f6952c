// SPDX-License-Identifier: Apache-2.0
//
// The accesses of one allocation that later ones may still race with.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dlcert/driver/simulated.hpp"

#include "simulated/strided_bytes.hpp"

namespace dlcert::driver::simulated {

/// The number-th operation of a timeline: a stream, or the host. Those of one timeline are ordered
/// by number.
struct Position {
  std::uint32_t timeline = 0;
  std::uint64_t number = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

struct RecordedAccess {
  Position at;
  AccessKind kind = AccessKind::read;
  StridedBytes bytes;
  std::uint64_t operation = 0;  ///< passed on to on_race(), otherwise unused
  std::uint64_t place = 0;      ///< the same
};

/// An access E is forgotten once a later access N covers it: N has all of E's bytes, comes after E,
/// and is a write or E is a read. No race is lost by that. Whatever conflicts with E conflicts with
/// N too; what comes after N comes after E; and what does not come after N, nor before it since it
/// is submitted later, races with N. So a buffer that is always used as a whole keeps one write
/// and, of each timeline that nothing orders with the others, one read.
///
/// Once a race of E and N has been reported, all that comes after N counts as after E: the program
/// lacks one wait, and the races that follow from that are not reported again.
///
/// Not thread-safe.
class AccessHistory {
 public:
  /// Accesses beyond this many replace others, whose races are missed from then on.
  static constexpr std::size_t most_accesses = 4096;

  /// To be called in the order of submission; an operation may have several accesses.
  /// `is_before(Position) -> bool` tells whether an earlier operation, of another timeline, happens
  /// before the one that is added. `on_race(const RecordedAccess& earlier, Range common)` is called
  /// for each access that conflicts with this one and is not ordered before it, but at most once
  /// for each pair of operations; it must not use the history. Does not allocate for bytes without
  /// axes unless the history grows.
  template <class IsBefore, class OnRace>
  void add(const RecordedAccess& access, IsBefore&& is_before, OnRace&& on_race) {
    if (access.bytes.axes.empty()) {
      add_normalised(access, is_before, on_race);
      return;
    }
    add_normalised(
        {access.at, access.kind, normalised(access.bytes), access.operation, access.place},
        is_before, on_race);
  }

  /// Forgets the accesses of operations of which `is_over(Position) -> bool` says that they happen
  /// before everything that is submitted from now on.
  template <class IsOver>
  void forget(IsOver&& is_over) {
    std::erase_if(entries_, [&](const Entry& entry) { return is_over(entry.access.at); });
  }

  /// Forgets what touched these bytes, which are others from now on. What also touched bytes beyond
  /// them is remembered by those, or forgotten where they are not one run.
  void forget_bytes(Range range) {
    std::vector<Entry> beyond;
    for (const Entry& entry : entries_) {
      if (common_range(entry.bounds, range).empty() || !entry.access.bytes.axes.empty()) continue;
      keep_part(entry, {entry.bounds.begin, range.begin}, beyond);
      keep_part(entry, {range.end, entry.bounds.end}, beyond);
    }
    remove_if([&](const Entry& entry) { return !common_range(entry.bounds, range).empty(); });
    for (Entry& entry : beyond)
      if (entries_.size() < most_accesses) entries_.push_back(std::move(entry));
  }

  /// Whether `holds(const RecordedAccess&) -> bool` holds for an access of one of these bytes.
  template <class Condition>
  [[nodiscard]] bool any_of(const StridedBytes& bytes, Condition&& holds) const {
    return std::ranges::any_of(entries_, [&](const Entry& entry) {
      return holds(entry.access) && overlap(entry.access.bytes, bytes).has_value();
    });
  }

  /// How many accesses are remembered.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  // An access that raced with this many timelines is reported no more.
  static constexpr std::size_t most_reported = 64;

  struct Entry {
    Range bounds;
    RecordedAccess access;             // its bytes are normalised
    std::vector<Position> raced_with;  // at most one operation of each timeline
  };

  static void keep_part(const Entry& entry, Range part, std::vector<Entry>& out) {
    if (part.empty()) return;
    out.push_back(entry);
    out.back().bounds = part;
    out.back().access.bytes = {part.begin, part.end - part.begin, {}};
  }

  template <class IsBefore, class OnRace>
  void add_normalised(const RecordedAccess& access, IsBefore& is_before, OnRace& on_race) {
    const Range where = bounds(access.bytes);
    if (where.empty()) return;
    const std::size_t size = entries_.size();
    remove_if([&](const Entry& earlier) {
      return !common_range(earlier.bounds, where).empty() && !is_foreign_read(earlier, access) &&
             (comes_before(earlier, access.at, is_before) ||
              report_race(earlier, access, on_race)) &&
             covers(access, where, earlier);
    });
    // Whether reads of other timelines can be forgotten is asked only when there would be more and
    // more of them: many streams that read the same bytes again and again are the common case.
    if (access.kind == AccessKind::read && entries_.size() == size) {
      remove_if([&](const Entry& earlier) {
        return is_foreign_read(earlier, access) && covers(access, where, earlier) &&
               comes_before(earlier, access.at, is_before);
      });
    }
    record(access, where);
  }

  // Two reads never race.
  static bool is_foreign_read(const Entry& earlier, const RecordedAccess& access) {
    return access.kind == AccessKind::read && earlier.access.kind == AccessKind::read &&
           earlier.access.at.timeline != access.at.timeline;
  }

  template <class IsBefore>
  static bool comes_before(const Entry& earlier, Position at, IsBefore& is_before) {
    const auto precedes = [&](Position position) {
      return position.timeline == at.timeline || is_before(position);
    };
    return precedes(earlier.access.at) || earlier.raced_with.size() >= most_reported ||
           std::ranges::any_of(earlier.raced_with, precedes);
  }

  // Reports the race of two accesses that are not ordered, one of them a write. False if they have
  // no byte in common.
  template <class OnRace>
  bool report_race(const Entry& earlier, const RecordedAccess& access, OnRace& on_race) {
    const std::optional<Range> common = overlap(earlier.access.bytes, access.bytes);
    if (!common) return false;
    on_race(earlier.access, *common);
    // The other accesses of the same operation race no more.
    const Position reported = earlier.access.at;
    for (Entry& entry : entries_) {
      if (entry.access.at == reported) entry.raced_with.push_back(access.at);
    }
    return true;
  }

  static bool covers(const RecordedAccess& access, Range where, const Entry& earlier) {
    return (access.kind == AccessKind::write || earlier.access.kind == AccessKind::read) &&
           where.contains(earlier.bounds) && contains(access.bytes, earlier.access.bytes);
  }

  template <class Condition>
  void remove_if(const Condition& condition) {
    for (std::size_t i = 0; i < entries_.size();) {
      if (!condition(entries_[i])) {
        ++i;
        continue;
      }
      if (i + 1 != entries_.size()) entries_[i] = std::move(entries_.back());
      entries_.pop_back();
    }
  }

  void record(const RecordedAccess& access, Range where) {
    if (entries_.size() < most_accesses) {
      entries_.push_back({where, access, {}});
      return;
    }
    entries_[replaced_next_] = {where, access, {}};
    replaced_next_ = (replaced_next_ + 1) % most_accesses;
  }

  std::vector<Entry> entries_;  // in no particular order
  std::size_t replaced_next_ = 0;
};

}  // namespace dlcert::driver::simulated
