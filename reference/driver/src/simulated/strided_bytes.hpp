// SPDX-License-Identifier: Apache-2.0
//
// Sets of bytes with gaps: whether two have bytes in common, and whether one lies within another.
//
// All of it is exact for what tensors look like. Where an answer would take too long, it is the one
// that reports no race: a missed race is better than a false one.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dlcert/driver/simulated.hpp"

namespace dlcert::driver::simulated {

/// The addresses in [begin, end).
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool empty() const noexcept { return begin >= end; }
  [[nodiscard]] bool contains(Range inner) const noexcept {
    return begin <= inner.begin && inner.end <= end;
  }
  friend bool operator==(const Range&, const Range&) = default;
};

/// Empty when the ranges have nothing in common.
[[nodiscard]] constexpr Range common_range(Range a, Range b) noexcept {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

/// From the lowest address to behind the highest.
[[nodiscard]] Range strided_bounds(const StridedBytes& bytes) noexcept;
[[nodiscard]] inline Range bounds(const StridedBytes& bytes) noexcept {
  return bytes.axes.empty() ? Range{bytes.begin, bytes.begin + bytes.run} : strided_bounds(bytes);
}

/// The same bytes with as few axes as possible: none for bytes without gaps, otherwise sorted by
/// stride, and the smallest stride is more than the run. No bytes at all are a run of 0.
[[nodiscard]] StridedBytes normalised(StridedBytes bytes);

/// From the lowest to behind the highest byte that both have; no value if there is none. Without
/// axes this allocates nothing, and with them nothing if both are normalised.
///
/// The search ends after a million steps. If it has found nothing, the sets count as disjoint; else
/// the range is at least one common run.
[[nodiscard]] std::optional<Range> strided_overlap(const StridedBytes& a, const StridedBytes& b);
[[nodiscard]] inline std::optional<Range> overlap(const StridedBytes& a, const StridedBytes& b) {
  if (!a.axes.empty() || !b.axes.empty()) return strided_overlap(a, b);
  const Range common = common_range(bounds(a), bounds(b));
  return common.empty() ? std::nullopt : std::optional{common};
}

/// Whether `outer` has all bytes of `inner`. False also where that is costly to know.
[[nodiscard]] bool strided_contains(const StridedBytes& outer, const StridedBytes& inner);
[[nodiscard]] inline bool contains(const StridedBytes& outer, const StridedBytes& inner) {
  if (!outer.axes.empty()) return strided_contains(outer, inner);
  return bounds(outer).contains(bounds(inner));
}

}  // namespace dlcert::driver::simulated
