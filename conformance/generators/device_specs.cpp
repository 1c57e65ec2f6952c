// SPDX-License-Identifier: Apache-2.0
#include "generators/device_specs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <dlcert/suite/dlpack.hpp>

#include "generators/dtypes.hpp"

namespace dlcert {

namespace {

TensorSpec on_device(dlcert_dtype dtype, std::vector<std::int64_t> shape, dlcert_device device) {
  TensorSpec spec = compact_spec(dtype, std::move(shape));
  spec.device = device;
  return spec;
}

bool has_type(const Party& party, dlcert_dtype dtype, dlcert_device device) {
  return dtype.code != kDLBool && dtype.bits % 8 == 0 && party.can(on_device(dtype, {2}, device));
}

// float32 where the library has nothing else of whole bytes, and where it has nothing at all.
dlcert_dtype draw_type(Draw& draw, const Party& party, dlcert_device device) {
  if (draw.rarely(3)) {
    const dlcert_dtype dtype = draw_dtype(draw, Dtypes::whole_byte);
    if (has_type(party, dtype, device)) return dtype;
  }
  if (has_type(party, float32, device)) return float32;
  const auto claimed = std::ranges::find_if(
      scalar_dtypes(), [&](dlcert_dtype dtype) { return has_type(party, dtype, device); });
  return claimed == scalar_dtypes().end() ? float32 : *claimed;
}

std::vector<std::int64_t> draw_small_shape(Draw& draw) {
  std::vector<std::int64_t> shape(draw.below(3) + 1);
  for (std::int64_t& extent : shape)
    extent = draw.between(1, 4);
  return shape;
}

std::vector<std::int64_t> draw_other_shape(Draw& draw, std::int64_t item) {
  switch (draw.below(4)) {
    case 0:
      return {};
    case 1: {
      std::vector<std::int64_t> shape(draw.below(3) + 4);
      for (std::int64_t& extent : shape)
        extent = draw.between(1, 2);
      return shape;
    }
    case 2:
      return {draw.between(1, 3), draw.between(300, 4096)};
    default:
      if (!draw.rarely(12)) return {draw.between(5, 300)};
      return {(std::int64_t{1} << draw.between(13, 22)) / item + draw.between(0, 7)};
  }
}

}  // namespace

TensorSpec draw_device_spec(Draw& draw, const Party& party, dlcert_device device) {
  const dlcert_dtype dtype = draw_type(draw, party, device);
  TensorSpec small = on_device(dtype, draw_small_shape(draw), device);
  if (!draw.rarely(6)) return small;
  const auto item = static_cast<std::int64_t>(logical_item_size(dtype));
  TensorSpec other = on_device(dtype, draw_other_shape(draw, item), device);
  return party.can(other) ? other : small;
}

}  // namespace dlcert
