// SPDX-License-Identifier: Apache-2.0

#include "simulated/strided_bytes.hpp"

#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace dlcert::driver::simulated {
namespace {

using Axis = StridedBytes::Axis;

constexpr int most_overlap_steps = 1 << 20;
constexpr int most_contains_steps = 1 << 10;

// Normalised bytes, or those at one place along their longest axes.
struct View {
  std::uintptr_t begin;
  std::size_t run;
  std::span<const Axis> axes;
  std::size_t length;  // from the lowest byte to behind the highest

  explicit View(const StridedBytes& bytes)
      : begin{bytes.begin},
        run{bytes.run},
        axes{bytes.axes},
        length{bounds(bytes).end - bytes.begin} {}

  [[nodiscard]] bool plain() const noexcept { return axes.empty(); }
  [[nodiscard]] Range range() const noexcept { return {begin, begin + length}; }

  // What the longest axis repeats, at its `index`-th place.
  [[nodiscard]] View block(std::size_t index) const noexcept {
    View block = *this;
    block.axes = axes.first(axes.size() - 1);
    block.begin = begin + index * axes.back().stride;
    block.length = length - (axes.back().extent - 1) * axes.back().stride;
    return block;
  }

  // As it looks when memory is read backwards from `end`.
  [[nodiscard]] View mirrored(std::uintptr_t end) const noexcept {
    View view = *this;
    view.begin = end - range().end;
    return view;
  }
};

bool is_empty(const StridedBytes& bytes) noexcept {
  const auto is_zero = [](const Axis& axis) { return axis.extent == 0; };
  return bytes.run == 0 || std::ranges::any_of(bytes.axes, is_zero);
}

bool is_normalised(const StridedBytes& bytes) noexcept {
  std::size_t below = bytes.run;
  for (const Axis& axis : bytes.axes) {
    if (axis.extent < 2 || axis.stride <= below) return false;
    below = axis.stride;
  }
  return bytes.run != 0 || bytes.axes.empty();
}

// `bytes` itself, or `storage` when it has to be changed.
const StridedBytes& normalised_in(StridedBytes& storage, const StridedBytes& bytes) {
  if (is_normalised(bytes)) return bytes;
  storage = normalised(bytes);
  return storage;
}

// Whether the two lie apart on the circle of addresses modulo `modulus`: columns and blocks of one
// array do, modulo the stride of a row or of a plane.
bool apart_modulo(std::size_t modulus, const View& a, const View& b) noexcept {
  const auto length = [modulus](const View& view) {
    std::size_t sum = view.run;
    for (const Axis& axis : view.axes) {
      if (axis.stride % modulus != 0) sum += (axis.extent - 1) * axis.stride;
    }
    return sum;
  };
  const std::size_t distance = (b.begin % modulus + modulus - a.begin % modulus) % modulus;
  return distance >= length(a) && length(b) <= modulus - distance;
}

bool apart_by_strides(const View& a, const View& b) {
  std::vector<std::size_t> strides;
  for (const View* const view : {&a, &b}) {
    for (const Axis& axis : view->axes) {
      strides.push_back(axis.stride);
    }
  }
  for (std::size_t i = 0; i < strides.size(); ++i) {
    for (std::size_t j = i; j < strides.size(); ++j) {
      if (apart_modulo(std::gcd(strides[i], strides[j]), a, b)) return true;
    }
  }
  return false;
}

// Finds the common run that begins lowest.
class Search {
 public:
  [[nodiscard]] std::optional<Range> lowest(const View& a, const View& b) {
    visit(a, b);
    return found_;
  }
  // False: there may be common runs below the one that was found.
  [[nodiscard]] bool complete() const noexcept { return steps_ <= most_overlap_steps; }

 private:
  void visit(const View& a, const View& b) {
    if (++steps_ > most_overlap_steps) return;
    const Range common = common_range(a.range(), b.range());
    if (common.empty() || (found_ && common.begin >= found_->begin)) return;
    if (a.plain() && b.plain())
      found_ = common;
    else if (a.plain() || (!b.plain() && b.length > a.length))
      visit_blocks(b, a, common);
    else
      visit_blocks(a, b, common);
  }

  void visit_blocks(const View& split, const View& other, Range common) {
    const auto [extent, stride] = split.axes.back();
    const std::uintptr_t first_end = split.block(0).range().end;
    const std::size_t first =
        common.begin >= first_end ? (common.begin - first_end) / stride + 1 : 0;
    const std::size_t last = std::min(extent - 1, (common.end - 1 - split.begin) / stride);
    for (std::size_t index = first; index <= last && complete(); ++index) {
      const View block = split.block(index);
      if (found_ && block.begin >= found_->begin) return;
      visit(block, other);
    }
  }

  std::optional<Range> found_;
  int steps_ = 0;
};

// False where it takes more than `steps` to know.
bool covers(View outer, const View& inner, int& steps) {
  if (--steps < 0) return false;
  while (outer.range().contains(inner.range())) {
    if (outer.plain()) return true;
    const auto [extent, stride] = outer.axes.back();
    const std::size_t index = std::min(extent - 1, (inner.begin - outer.begin) / stride);
    const View block = outer.block(index);
    if (block.range().contains(inner.range())) {
      outer = block;
      continue;
    }
    if (inner.plain()) return false;
    const auto [repeats, step] = inner.axes.back();
    // In step with the outer bytes: if its first block is covered, so are the others.
    if (step % stride == 0 && step / stride * (repeats - 1) < extent - index &&
        covers(block, inner.block(0), steps))
      return true;
    for (std::size_t i = 0; i < repeats; ++i) {
      if (!covers(outer, inner.block(i), steps)) return false;
    }
    return true;
  }
  return false;
}

}  // namespace

Range strided_bounds(const StridedBytes& bytes) noexcept {
  if (is_empty(bytes)) return {bytes.begin, bytes.begin};
  std::uintptr_t end = bytes.begin + bytes.run;
  for (const Axis& axis : bytes.axes) {
    end += (axis.extent - 1) * axis.stride;
  }
  return {bytes.begin, end};
}

StridedBytes normalised(StridedBytes bytes) {
  if (is_empty(bytes)) return {.begin = bytes.begin, .run = 0};
  std::ranges::sort(bytes.axes, {}, &Axis::stride);
  std::size_t kept = 0;
  for (const Axis axis : bytes.axes) {
    if (axis.extent == 1 || axis.stride == 0) continue;
    if (kept == 0 && axis.stride <= bytes.run) {
      bytes.run += (axis.extent - 1) * axis.stride;
      continue;
    }
    // Without a gap between the last kept axis and this one, both are one.
    if (kept != 0) {
      Axis& last = bytes.axes[kept - 1];
      const std::size_t steps = axis.stride / last.stride;
      if (axis.stride % last.stride == 0 && steps <= last.extent) {
        last.extent += (axis.extent - 1) * steps;
        continue;
      }
    }
    bytes.axes[kept++] = axis;
  }
  bytes.axes.resize(kept);
  return bytes;
}

std::optional<Range> strided_overlap(const StridedBytes& a, const StridedBytes& b) {
  if (common_range(bounds(a), bounds(b)).empty()) return std::nullopt;
  StridedBytes storage_a;
  StridedBytes storage_b;
  const View view_a{normalised_in(storage_a, a)};
  const View view_b{normalised_in(storage_b, b)};
  if (apart_by_strides(view_a, view_b)) return std::nullopt;
  const std::optional<Range> lowest = Search{}.lowest(view_a, view_b);
  if (!lowest) return std::nullopt;

  const std::uintptr_t end = std::max(view_a.range().end, view_b.range().end);
  Search backwards;
  const std::optional<Range> highest = backwards.lowest(view_a.mirrored(end), view_b.mirrored(end));
  if (!highest || !backwards.complete()) return lowest;
  return Range{lowest->begin, end - highest->begin};
}

bool strided_contains(const StridedBytes& outer, const StridedBytes& inner) {
  if (!bounds(outer).contains(bounds(inner))) return false;
  StridedBytes storage_outer;
  StridedBytes storage_inner;
  const View view_outer{normalised_in(storage_outer, outer)};
  const View view_inner{normalised_in(storage_inner, inner)};
  int steps = most_contains_steps;
  return view_inner.length == 0 || covers(view_outer, view_inner, steps);
}

}  // namespace dlcert::driver::simulated
