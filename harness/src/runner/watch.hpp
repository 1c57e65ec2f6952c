// SPDX-License-Identifier: Apache-2.0
//
// The limits of a worker's time and memory. Knows no process: it is given the worker's position,
// its size and the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "records/records.hpp"

namespace dlcert {

struct Limits {
  double load_seconds = 30;
  int load_attempts = 3;  // in a row; then no more workers are started
  double case_seconds = 5;
  double patience = 5;  // a case that takes longer than this many times case_seconds has hung
  std::uint64_t memory_bytes = 2ull << 30;  // resident size above the size after loading
  // Of the resident size while loading, which stays: so many times that.
  static constexpr std::uint64_t load_factor = 4;
};

// A worker's position at one moment.
struct PositionSnapshot {
  Phase phase = Phase::starting;
  std::uint32_t unit = no_unit;
  std::uint64_t case_index = 0;
  std::uint64_t beat = 0;
  std::uint64_t loaded_bytes = 0;
  bool forks_among_threads = false;
};
// Of a job with so many units; a library's stray write may name one that there is not.
PositionSnapshot snapshot_of(const Position& position, std::size_t units);

enum class Limit : std::uint8_t { time, memory };

struct LimitExceeded {
  Limit limit = Limit::time;
  std::uint32_t unit = no_unit;  // the unit that the worker was at; no_unit outside of units
  std::string message;           // "case 17 took longer than 5 s", "allocated more than 2.0 GiB"
};

class Watch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Watch(const Limits& limits, Time started) : limits_{limits}, checked_{started} {}

  // The resident size from which on a worker at this place exceeds its limit.
  std::uint64_t most_bytes(const PositionSnapshot& at) const;

  // The limit that the worker exceeds at the time `now`, if any. A change of its position in any
  // respect is progress and starts a new time limit. To be called often: of the time since the last
  // call no more than longest_tick counts, as this process, or the machine, may have been paused.
  std::optional<LimitExceeded> check(const PositionSnapshot& at, std::uint64_t resident_bytes,
                                     Time now);

  // Of the case at which the worker was when last checked, that it takes longer than it should:
  // "case 17 took longer than 5 s". Empty: it does not.
  std::string slowness() const;

  static constexpr std::chrono::milliseconds longest_tick{500};

 private:
  double seconds() const { return std::chrono::duration<double>(spent_).count(); }

  Limits limits_;
  Time checked_;
  Time::duration spent_{};  // at the same place
  PositionSnapshot last_;
};

}  // namespace dlcert
