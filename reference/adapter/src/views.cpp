// SPDX-License-Identifier: Apache-2.0
#include "views.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "dlcert/tensor/errors.hpp"
#include "dlcert/tensor/layout.hpp"

namespace dlcert::reference {
namespace {

std::int64_t last_index(std::int64_t extent) {
  return extent - 1;
}

bool moves(const Layout& wanted, std::size_t axis) {
  return wanted.strides[axis] != 0 && wanted.shape[axis] > 1;
}

// The axes along which the address changes, outermost in memory first.
std::vector<std::size_t> axes_in_memory(const Layout& wanted) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < wanted.shape.size(); ++axis)
    if (moves(wanted, axis)) axes.push_back(axis);
  std::ranges::stable_sort(axes, [&](std::size_t a, std::size_t b) {
    return std::abs(wanted.strides[a]) > std::abs(wanted.strides[b]);
  });
  return axes;
}

// The row-major tensor of which the moving axes are slices: each axis is as long as the stride of
// the next outer one demands. Empty where there is none, as strides do not divide each other or
// elements overlap.
std::optional<Dims> base_shape(const Layout& wanted, const std::vector<std::size_t>& axes) {
  Dims shape = Dims::filled(axes.size(), 1);
  std::int64_t block = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::int64_t distance = std::abs(wanted.strides[axes[i]]);
    const std::int64_t outer = i > 0 ? std::abs(wanted.strides[axes[i - 1]]) : 0;
    if (distance % block != 0 || outer % block != 0) return std::nullopt;
    const std::int64_t needed = last_index(wanted.shape[axes[i]]) * (distance / block) + 1;
    shape[i] = i > 0 ? outer / block : needed;
    if (shape[i] < needed) return std::nullopt;
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
    if (!moves(wanted, axis)) tensor = tensor.with_axis(axis);
  return tensor.broadcast_to(wanted.shape);
}

// Empty where no sequence of views gives the layout, whose elements lie within the storage.
std::optional<Tensor> elements_by_views(const StorageRef& storage, const Dtype& dtype,
                                        const Layout& wanted) {
  const std::vector<std::size_t> axes = axes_in_memory(wanted);
  const std::optional<Dims> shape = base_shape(wanted, axes);
  if (!shape) return std::nullopt;
  const std::int64_t unit = dtype.stored_bits();
  const std::int64_t lowest =
      wanted.offset + reach_of(wanted.shape.span(), wanted.strides.span()).low * unit;
  const std::int64_t end = lowest + (row_major_reach(shape->span()).high + 1) * unit;
  if (lowest < 0 || end > 8 * storage->size()) return std::nullopt;
  Tensor made{storage, dtype, {*shape, row_major_strides(shape->span()), lowest}};
  for (std::size_t i = 0; i < axes.size(); ++i)
    made = sliced_along(made, i, wanted.shape[axes[i]], wanted.strides[axes[i]]);
  return with_repeated_axes(in_wanted_order(made, axes), wanted);
}

bool divides_strides(std::int64_t record, const Layout& wanted) {
  return std::ranges::all_of(wanted.strides.span(),
                             [&](std::int64_t stride) { return stride % record == 0; });
}

// As above for a field of a record, which is as long as the innermost stride.
std::optional<Tensor> field_by_views(const StorageRef& storage, const Dtype& dtype,
                                     const Layout& wanted) {
  const std::vector<std::size_t> axes = axes_in_memory(wanted);
  if (axes.empty()) return std::nullopt;
  const std::int64_t record = std::abs(wanted.strides[axes.back()]);
  const std::int64_t at = wanted.offset / 8 % record;
  if (!divides_strides(record, wanted) || at + dtype.logical_bytes() > record) return std::nullopt;
  Layout records{wanted.shape, wanted.strides, wanted.offset - 8 * at};
  for (std::size_t axis = 0; axis < wanted.strides.size(); ++axis)
    records.strides[axis] = wanted.strides[axis] / record;
  const Dtype type = Dtype::record(static_cast<std::uint16_t>(record));
  const std::optional<Tensor> made = elements_by_views(storage, type, records);
  if (!made) return std::nullopt;
  return made->field(at, dtype);
}

// Strides of axes without neighbours say nothing.
bool has_elements_of(const Tensor& made, const Tensor& wanted) {
  if (!(made.shape() == wanted.shape()) || made.layout().offset != wanted.layout().offset)
    return false;
  for (std::size_t axis = 0; axis < wanted.rank(); ++axis)
    if (made.stride_bits(axis) != wanted.stride_bits(axis)) return false;
  return true;
}

}  // namespace

Tensor view_of(const StorageRef& storage, const Dtype& dtype, const Layout& wanted) {
  const Tensor direct{storage, dtype, wanted};
  if (direct.is_empty()) return direct;
  const auto made = wanted.unit == StrideUnit::byte ? field_by_views(storage, dtype, wanted)
                                                    : elements_by_views(storage, dtype, wanted);
  if (made && !has_elements_of(*made, direct))
    throw Error{ErrorKind::value, "expected views to give the layout that was asked for"};
  return made && made->layout() == wanted ? *made : direct;
}

}  // namespace dlcert::reference
