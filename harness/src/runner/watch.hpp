// SPDX-License-Identifier: Apache-2.0
//
// When a worker has had enough time or memory. Knows no process: it is told what was seen, and
// when.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "worker/records.hpp"

namespace dlcert {

struct Limits {
  double load_seconds = 30;
  int load_attempts = 3;  // in a row, before workers are given up
  double case_seconds = 5;
  std::uint64_t memory_bytes = 2ull << 30;  // resident size above the size after loading
};

// A worker's position at one moment.
struct Sighting {
  Phase phase = Phase::starting;
  std::uint32_t unit = no_unit;
  std::uint64_t case_index = 0;
  std::uint64_t beat = 0;
  std::uint64_t loaded_bytes = 0;
};
Sighting look_at(const Position& position);

struct Excess {
  enum class Of : std::uint8_t { time, memory } of = Of::time;
  std::uint32_t unit = no_unit;  // that the worker was at; no_unit outside of units
  std::string message;           // "case 17 took longer than 5 s", "allocated more than 2.0 GiB"
};

class Watch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Watch(const Limits& limits, Time started) : limits_{limits}, since_{started} {}

  // What the worker exceeds. A change of its position in any respect is progress and starts a new
  // time limit.
  std::optional<Excess> check(const Sighting& now_at, std::uint64_t resident_bytes, Time now);

 private:
  Limits limits_;
  Time since_;
  Sighting last_;
};

}  // namespace dlcert
