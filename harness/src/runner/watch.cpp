// SPDX-License-Identifier: Apache-2.0
#include "runner/watch.hpp"

#include <fmt/format.h>

namespace dlcert {
namespace {

bool same_place(const Sighting& a, const Sighting& b) {
  return a.phase == b.phase && a.unit == b.unit && a.case_index == b.case_index && a.beat == b.beat;
}

std::string size_text(std::uint64_t bytes) {
  const auto mib = static_cast<double>(bytes) / (1 << 20);
  return mib < 1024 ? fmt::format("{:.0f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

bool loaded(Phase phase) {
  return phase != Phase::starting && phase != Phase::loading;
}

}  // namespace

Sighting look_at(const Position& position) {
  return {.phase = position.phase.load(),
          .unit = position.unit.load(),
          .case_index = position.case_index.load(),
          .beat = position.beat_nanoseconds.load(),
          .loaded_bytes = position.loaded_bytes.load()};
}

std::optional<Excess> Watch::check(const Sighting& now_at, std::uint64_t resident_bytes, Time now) {
  if (!same_place(now_at, last_)) {
    last_ = now_at;
    since_ = now;
  }
  if (loaded(now_at.phase) && resident_bytes > now_at.loaded_bytes + limits_.memory_bytes)
    return Excess{Excess::Of::memory, now_at.unit,
                  fmt::format("allocated more than {}", size_text(limits_.memory_bytes))};

  const bool in_case = now_at.phase == Phase::running;
  const double limit = in_case ? limits_.case_seconds : limits_.load_seconds;
  if (std::chrono::duration<double>(now - since_).count() <= limit) return std::nullopt;
  if (in_case)
    return Excess{Excess::Of::time, now_at.unit,
                  fmt::format("case {} took longer than {:g} s", now_at.case_index, limit)};
  return Excess{Excess::Of::time, no_unit,
                loaded(now_at.phase)
                    ? fmt::format("did not end within {:g} s of its last check", limit)
                    : fmt::format("loading took longer than {:g} s", limit)};
}

}  // namespace dlcert
