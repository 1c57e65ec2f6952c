// SPDX-License-Identifier: Apache-2.0
//
// Shapes, and the ways in which a tensor of some shape can lie in its storage.
#pragma once

#include <cstdint>
#include <vector>

#include <dlcert/suite/draw.hpp>

namespace dlcert {

enum class Layouts : std::uint8_t {
  any,         // what follows, and broadcast axes
  no_overlap,  // permuted, stepped, reversed; no two elements share memory
  compact,     // row-major without gaps, the storage just as long as needed
};

struct ShapeBounds {
  int max_rank = 64;
  int min_rank = 0;
  bool empty = true;  // whether an extent may be 0
  std::int64_t max_elements = 98'304;
};

// Extents that grow with the draw's size, up to 8 axes and 256 elements, and now and then, where
// the bounds leave room, more axes or elements. Shrinks towards rank min_rank with extents 1.
std::vector<std::int64_t> draw_shape(Draw& draw, const ShapeBounds& bounds = {});

// A view on a storage, all in units of elements, as in TensorSpec.
struct Layout {
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  std::int64_t storage_size = 0;
};

// A layout for `shape`. Offsets are multiples of `offset_unit`, so that a packed view starts on a
// byte. Shrinks towards the compact one.
Layout draw_layout(Draw& draw, const std::vector<std::int64_t>& shape, Layouts kind,
                   std::int64_t offset_unit = 1);

}  // namespace dlcert
