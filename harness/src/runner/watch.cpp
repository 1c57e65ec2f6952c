// SPDX-License-Identifier: Apache-2.0
#include "runner/watch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlcert {
namespace {

bool same_place(const PositionSnapshot& a, const PositionSnapshot& b) {
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

PositionSnapshot snapshot_of(const Position& position, std::size_t units) {
  const std::uint32_t unit = position.unit.load();
  return {.phase = position.phase.load(),
          .unit = unit < units ? unit : no_unit,
          .case_index = position.case_index.load(),
          .beat = position.beat_nanoseconds.load(),
          .loaded_bytes = position.loaded_bytes.load(),
          .forks_among_threads = position.forks_among_threads.load() != 0};
}

std::uint64_t Watch::most_bytes(const PositionSnapshot& at) const {
  return at.loaded_bytes > 0 ? at.loaded_bytes + limits_.memory_bytes
                             : Limits::load_factor * limits_.memory_bytes;
}

std::optional<LimitExceeded> Watch::check(const PositionSnapshot& at, std::uint64_t resident_bytes,
                                          Time now) {
  spent_ += std::min<Time::duration>(now - checked_, longest_tick);
  checked_ = now;
  if (!same_place(at, last_)) spent_ = {};
  last_ = at;
  if (resident_bytes > most_bytes(at))
    return LimitExceeded{
        Limit::memory, at.unit,
        at.loaded_bytes > 0
            ? fmt::format("allocated more than {}", size_text(limits_.memory_bytes))
            : fmt::format("allocated more than {} while loading", size_text(most_bytes(at)))};

  const bool in_case = at.phase == Phase::running;
  const double limit = in_case ? limits_.case_seconds * limits_.patience : limits_.load_seconds;
  if (seconds() <= limit) return std::nullopt;
  if (in_case)
    return LimitExceeded{Limit::time, at.unit,
                         fmt::format("case {} took longer than {:g} s", at.case_index, limit)};
  return LimitExceeded{Limit::time, no_unit,
                       loaded(at.phase)
                           ? fmt::format("did not end within {:g} s of its last check", limit)
                           : fmt::format("loading took longer than {:g} s", limit)};
}

std::string Watch::slowness() const {
  if (last_.phase != Phase::running || seconds() <= limits_.case_seconds) return {};
  return fmt::format("case {} took longer than {:g} s", last_.case_index, limits_.case_seconds);
}

}  // namespace dlcert
