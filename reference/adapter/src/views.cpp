// SPDX-License-Identifier: Apache-2.0
#include "views.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

#include "dlcert/tensor/errors.hpp"
#include "dlcert/tensor/layout.hpp"

namespace dlcert::reference {
namespace {

// How far apart neighbours lie. The one stride that has no magnitude belongs to an axis without
// neighbours, as no storage is that large.
std::int64_t distance_along(const Layout& layout, std::size_t axis) {
  const std::int64_t stride = layout.strides[axis];
  using Limits = std::numeric_limits<std::int64_t>;
  return stride == Limits::min() ? Limits::max() : std::abs(stride);
}

// The axes along which the address changes, outermost in memory first. Of two with the same stride
// the shorter one, which does not step, is the inner one.
std::vector<std::size_t> axes_in_memory(const Layout& wanted) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < wanted.shape.size(); ++axis)
    if (wanted.strides[axis] != 0) axes.push_back(axis);
  std::ranges::stable_sort(axes, [&](std::size_t a, std::size_t b) {
    const std::int64_t outer = distance_along(wanted, a);
    const std::int64_t inner = distance_along(wanted, b);
    return outer != inner ? outer > inner : wanted.shape[a] > wanted.shape[b];
  });
  return axes;
}

std::int64_t last_index(std::int64_t extent) {
  return std::max<std::int64_t>(extent, 1) - 1;
}

// The row-major tensor of which the moving axes are slices: each axis is as long as the stride of
// the next outer one demands. What does not divide comes out as another layout than the wanted one.
Dims base_shape(const Layout& wanted, const std::vector<std::size_t>& axes) {
  Dims shape = Dims::filled(axes.size(), 1);
  std::int64_t block = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    shape[i] =
        i > 0 ? distance_along(wanted, axes[i - 1]) / block
              : last_index(wanted.shape[axes[i]]) * (distance_along(wanted, axes[i]) / block) + 1;
    block *= shape[i];
  }
  return shape;
}

Tensor sliced_along(const Tensor& tensor, std::size_t axis, std::int64_t extent,
                    std::int64_t stride) {
  const std::int64_t step = stride / tensor.strides()[axis];
  const std::int64_t start = step < 0 ? step * -last_index(extent) : 0;
  return tensor.sliced(axis, start, extent, step);
}

Tensor in_wanted_order(const Tensor& tensor, const std::vector<std::size_t>& axes) {
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return axes[i]; });
  return tensor.transposed(order);
}

Tensor with_repeated_axes(Tensor tensor, const Layout& wanted) {
  for (std::size_t axis = 0; axis < wanted.shape.size(); ++axis)
    if (wanted.strides[axis] == 0) tensor = tensor.with_axis(axis);
  return tensor.broadcast_to(wanted.shape);
}

// Throws an Error when no sequence of views gives the layout.
Tensor elements_by_views(const StorageRef& storage, const Dtype& dtype, const Layout& wanted) {
  const std::vector<std::size_t> axes = axes_in_memory(wanted);
  const Dims shape = base_shape(wanted, axes);
  const std::int64_t lowest =
      wanted.offset +
      reach_of(wanted.shape.span(), wanted.strides.span()).low * wanted.unit_bits(dtype);
  Tensor made{storage, dtype, {shape, row_major_strides(shape.span()), lowest}};
  for (std::size_t i = 0; i < axes.size(); ++i)
    made = sliced_along(made, i, wanted.shape[axes[i]], wanted.strides[axes[i]]);
  return with_repeated_axes(in_wanted_order(made, axes), wanted);
}

// As above for a field of a record, which is as long as the innermost stride.
Tensor field_by_views(const StorageRef& storage, const Dtype& dtype, const Layout& wanted) {
  const std::vector<std::size_t> axes = axes_in_memory(wanted);
  if (axes.empty()) return Tensor{storage, dtype, wanted};
  const std::int64_t record = distance_along(wanted, axes.back());
  const std::int64_t at = wanted.offset / 8 % record;
  Layout records{wanted.shape, wanted.strides, wanted.offset - 8 * at};
  for (std::size_t axis = 0; axis < wanted.strides.size(); ++axis)
    records.strides[axis] = wanted.strides[axis] / record;
  const Dtype type = Dtype::record(static_cast<std::uint16_t>(record));
  return elements_by_views(storage, type, records).field(at, dtype);
}

}  // namespace

Tensor view_of(const StorageRef& storage, const Dtype& dtype, const Layout& wanted) {
  const bool is_field = wanted.unit == StrideUnit::byte;
  try {
    Tensor made = is_field ? field_by_views(storage, dtype, wanted)
                           : elements_by_views(storage, dtype, wanted);
    if (made.layout() == wanted) return made;
  } catch (const Error&) {  // one of the views does not exist
  }
  return Tensor{storage, dtype, wanted};
}

}  // namespace dlcert::reference
