// SPDX-License-Identifier: Apache-2.0
//
// Tensors to be made or taken by a library, and what they hold. Only what the library claims is
// drawn. They lie at place() (placement.hpp): on the host or, where a case has them there, on a
// device, where elements have whole bytes.
#pragma once

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spec.hpp>

#include "generators/dtypes.hpp"
#include "generators/layouts.hpp"

namespace dlcert {

struct SpecBounds {
  Dtypes dtypes = Dtypes::any;
  Layouts layouts = Layouts::any;
  ShapeBounds shape = {};
  bool padded = true;      // whether sub-byte elements may be padded; legacy tensors cannot say so
  bool read_only = false;  // whether the read-only flag is drawn; legacy tensors cannot say so
  bool writable = false;   // whether it must not be set, though the library has nothing else
};

// A spec that `party` claims: writable unless the flag is drawn, and of any rank within the
// bounds, where it claims such a one. Throws NoTensorClaimed when it claims nothing within the
// bounds that was drawn.
TensorSpec draw_spec(Draw& draw, const Party& party, const SpecBounds& bounds = {});

// A spec that both parties of the case claim.
TensorSpec draw_spec(Case& c, const SpecBounds& bounds = {});

// Compact float32, or another type of whole bytes where the party has no such one, of at least one
// element and up to rank 3, or a higher one where the party has no other: for checks to which the
// tensor does not matter.
TensorSpec draw_simple_spec(Draw& draw, const Party& party);

// Compact, of this type, within the bounds or in another shape that the party claims. Throws as
// require_claimed() where it claims none.
TensorSpec draw_spec_of(Draw& draw, const Party& party, dlcert_dtype dtype,
                        const ShapeBounds& bounds);

// Compact, of a type that the party claims and of rank 1 to 4, with an extent of 0. The party may
// claim no such shape.
TensorSpec draw_empty_spec(Draw& draw, const Party& party);

// Throws NotClaimed unless `party` claims `spec`: NoTensorClaimed, unless its device, a type below
// a byte or the read-only flag makes it what the check is about.
void require_claimed(const Party& party, const TensorSpec& spec);

// Logical bytes that a tensor like `spec` can hold: booleans are 0 or 1, bits beyond a sub-byte
// value are 0, and elements that share memory agree. One choice.
Bytes draw_logical(Draw& draw, const TensorSpec& spec);

// Logical bytes that differ from `other` (of the same spec) in every element. Elements that shared
// memory still agree.
Bytes different_logical(const TensorSpec& spec, const Bytes& other);

}  // namespace dlcert
