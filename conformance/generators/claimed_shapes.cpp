// SPDX-License-Identifier: Apache-2.0
#include "generators/claimed_shapes.hpp"

#include <algorithm>
#include <vector>

#include <dlcert/suite/spec.hpp>

#include "generators/placement.hpp"

namespace dlcert {

namespace {

bool is_of_type(const ClaimedTensors& tensors, const ClaimedType& type) {
  return tensors.are_on(place()) && tensors.flags == type.flags &&
         std::ranges::any_of(tensors.dtypes,
                             [&](const dlcert_dtype& dtype) { return dtype == type.dtype; });
}

bool is_empty(const std::vector<std::int64_t>& shape) {
  return std::ranges::find(shape, 0) != shape.end();
}

bool is_within(const ClaimedTensors& tensors, const ShapeBounds& bounds) {
  const auto rank = static_cast<int>(tensors.shape.size());
  return rank >= bounds.min_rank && rank <= bounds.max_rank &&
         (bounds.empty || !is_empty(tensors.shape));
}

// Along the axes, as long as `bounds.max_elements` leaves room; where it leaves none, as they are.
std::vector<std::int64_t> draw_extents(Draw& draw, const ClaimedTensors& tensors,
                                       const ShapeBounds& bounds) {
  std::vector<std::int64_t> shape = tensors.shape;
  std::int64_t room = bounds.max_elements;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::vector<std::int64_t> extents = tensors.extents[axis];
    const bool may_be_empty = std::erase(extents, 0) != 0 && bounds.empty;
    std::erase_if(extents, [&](std::int64_t extent) { return extent > room; });
    if (may_be_empty && draw.rarely(24))
      shape[axis] = 0;
    else if (!extents.empty())
      shape[axis] = draw.one_of(extents);
    room = std::max<std::int64_t>(1, room / std::max<std::int64_t>(1, shape[axis]));
  }
  return shape;
}

bool has(const ClaimedTensors& tensors, ClaimedLayout layout) {
  return (tensors.layouts & static_cast<std::uint32_t>(layout)) != 0;
}

// Rows with a gap behind each: of images and frames.
void pad_rows(Draw& draw, TensorSpec& spec) {
  const std::size_t rank = spec.shape.size();
  spec.strides[rank - 2] = std::max<std::int64_t>(spec.shape[rank - 1], 1) + draw.between(1, 8);
  for (std::size_t axis = rank - 2; axis-- > 0;)
    spec.strides[axis] = spec.strides[axis + 1] * std::max<std::int64_t>(spec.shape[axis + 1], 1);
  spec.storage_size = spec.strides[0] * std::max<std::int64_t>(spec.shape[0], 1);
}

}  // namespace

bool claims_some_shape(const Party& party, const ClaimedType& type) {
  return std::ranges::any_of(party.claimed_tensors(), [&](const ClaimedTensors& tensors) {
    return is_of_type(tensors, type);
  });
}

std::optional<TensorSpec> draw_claimed_shape(Draw& draw, const Party& party,
                                             const ClaimedType& type, const ShapeBounds& bounds,
                                             Layouts layouts, bool surely) {
  std::vector<const ClaimedTensors*> claimed;
  for (const ClaimedTensors& tensors : party.claimed_tensors())
    if (is_of_type(tensors, type) && is_within(tensors, bounds)) claimed.push_back(&tensors);
  if (claimed.empty()) return std::nullopt;
  const ClaimedTensors& tensors = *draw.one_of(claimed);
  TensorSpec spec =
      compact_spec(type.dtype, surely ? tensors.shape : draw_extents(draw, tensors, bounds));
  spec.device = place();
  spec.flags = type.flags;
  if (surely || layouts == Layouts::compact || tensors.layouts == 0 || !draw.flip()) return spec;
  if (has(tensors, ClaimedLayout::padded_rows) && draw.flip()) {
    pad_rows(draw, spec);
    return spec;
  }
  const bool packed = sub_byte(type.dtype) && !spec.padded();
  Layout layout = draw_layout(draw, spec.shape, layouts, packed ? 8 : 1);
  spec.strides = std::move(layout.strides);
  spec.offset = layout.offset;
  spec.storage_size = layout.storage_size;
  return spec;
}

}  // namespace dlcert
