// SPDX-License-Identifier: Apache-2.0
#include "generators/layouts.hpp"

#include <algorithm>
#include <numeric>

#include <dlcert/suite/spec.hpp>

namespace dlcert {

namespace {

std::int64_t draw_extent(Draw& draw, const ShapeBounds& bounds, std::int64_t limit) {
  if (bounds.empty && draw.rarely(24)) return 0;
  return draw.between(1, std::min<std::int64_t>(limit, 2 + draw.size() / 12));
}

// The axes in the order of their memory, outermost first.
std::vector<std::size_t> draw_order(Draw& draw, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i + 1 < rank; ++i)
    std::swap(order[i], order[i + draw.below(rank - i)]);
  return order;
}

std::int64_t steps_of(std::int64_t extent) {
  return extent == 0 ? 0 : extent - 1;
}

// Strides of axes that follow each other in memory in the given order, with gaps after steps.
std::vector<std::int64_t> stepped_strides(Draw& draw, const std::vector<std::int64_t>& shape,
                                          const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t reach = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t axis = order[i];
    const bool gap = shape[axis] != 1 && draw.rarely(4);
    strides[axis] = reach * (gap ? draw.between(2, 3) : 1);
    reach = strides[axis] * std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

// Strides of axes of extent 1 say nothing about memory and may be anything.
constexpr std::int64_t wild_strides[] = {0, 7, -3, 1'000'003, -1'000'003, INT64_MAX / 1024};

void turn_axes(Draw& draw, const std::vector<std::int64_t>& shape, Layouts kind,
               std::vector<std::int64_t>& strides) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!draw.rarely(4)) continue;
    if (shape[axis] == 1)
      strides[axis] = draw.one_of(wild_strides);
    else if (kind == Layouts::any && draw.flip())
      strides[axis] = 0;
    else
      strides[axis] = -strides[axis];
  }
}

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Where the first element lies so that the lowest one starts the view, and how far the view
// reaches.
Layout placed(Draw& draw, const std::vector<std::int64_t>& shape, std::vector<std::int64_t> strides,
              std::int64_t offset_unit) {
  std::int64_t below = 0;
  std::int64_t above = 0;
  bool empty = false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t reach = shape[axis] == 1 ? 0 : steps_of(shape[axis]) * strides[axis];
    (reach < 0 ? below : above) += reach;
    empty = empty || shape[axis] == 0;
  }
  if (empty) below = above = 0;
  Layout layout;
  layout.strides = std::move(strides);
  layout.offset = rounded_up(draw.between(0, 3) * offset_unit - below, offset_unit);
  layout.storage_size = layout.offset + above + (empty ? 0 : 1) + draw.between(0, 2);
  return layout;
}

Layout compact_layout(const std::vector<std::int64_t>& shape) {
  Layout layout;
  layout.strides = row_major_strides(shape);
  layout.storage_size =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies{});
  return layout;
}

constexpr int usual_rank = 8;
constexpr std::int64_t usual_elements = 256;

// More axes than anybody writes by hand, nearly all of one element.
std::vector<std::int64_t> draw_many_axes(Draw& draw, const ShapeBounds& bounds) {
  std::vector<std::int64_t> shape(
      static_cast<std::size_t>(draw.between(usual_rank + 1, bounds.max_rank)), 1);
  for (std::int64_t i = draw.between(0, 5); i > 0; --i)
    shape[draw.below(shape.size())] = 2;
  return shape;
}

// More elements than fit on some pages.
std::vector<std::int64_t> draw_many_elements(Draw& draw, const ShapeBounds& bounds) {
  const std::int64_t rows = draw.between(1, 3);
  std::vector<std::int64_t> shape{rows, draw.between(usual_elements, bounds.max_elements / rows)};
  if (draw.flip()) std::ranges::reverse(shape);
  return shape;
}

std::vector<std::int64_t> draw_usual_shape(Draw& draw, const ShapeBounds& bounds) {
  const int grown = std::min({bounds.max_rank, usual_rank, 2 + draw.size() / 12});
  const auto rank = draw.between(bounds.min_rank, std::max(bounds.min_rank, grown));
  std::vector<std::int64_t> shape;
  shape.reserve(static_cast<std::size_t>(rank));
  std::int64_t room = std::min(bounds.max_elements, usual_elements);
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    shape.push_back(draw_extent(draw, bounds, room));
    room = std::max<std::int64_t>(1, room / std::max<std::int64_t>(1, shape.back()));
  }
  return shape;
}

}  // namespace

std::vector<std::int64_t> draw_shape(Draw& draw, const ShapeBounds& bounds) {
  if (bounds.max_rank > usual_rank && draw.rarely(32)) return draw_many_axes(draw, bounds);
  if (bounds.max_rank > 1 && bounds.max_elements > 3 * usual_elements && draw.rarely(300))
    return draw_many_elements(draw, bounds);
  return draw_usual_shape(draw, bounds);
}

Layout draw_layout(Draw& draw, const std::vector<std::int64_t>& shape, Layouts kind,
                   std::int64_t offset_unit) {
  if (kind == Layouts::compact || !draw.flip()) return compact_layout(shape);
  std::vector<std::int64_t> strides = stepped_strides(draw, shape, draw_order(draw, shape.size()));
  turn_axes(draw, shape, kind, strides);
  return placed(draw, shape, std::move(strides), offset_unit);
}

}  // namespace dlcert
