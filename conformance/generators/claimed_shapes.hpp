// SPDX-License-Identifier: Apache-2.0
//
// Views of libraries that do not claim each shape: their shapes are drawn from what they answered
// before the run (Party::claimed_tensors).
#pragma once

#include <optional>

#include <dlcert/suite/draw.hpp>
#include <dlcert/suite/party.hpp>

#include "generators/layouts.hpp"

namespace dlcert {

// Tensors of one dtype, at place().
struct ClaimedType {
  dlcert_dtype dtype;
  std::uint32_t flags = 0;  // DLCERT_SPEC_*
};

// Returns whether `party` claims a tensor of this type in any shape.
bool claims_some_shape(const Party& party, const ClaimedType& type);

// A view that is likely to be claimed: of a rank, extents and a layout that are, though perhaps not
// together. Where `surely`, of a shape that is claimed, compact. `bounds` hold, but for
// max_elements where the party claims only larger tensors. Nothing where it claims none within
// them.
std::optional<TensorSpec> draw_claimed_shape(Draw& draw, const Party& party,
                                             const ClaimedType& type, const ShapeBounds& bounds,
                                             Layouts layouts, bool surely);

}  // namespace dlcert
