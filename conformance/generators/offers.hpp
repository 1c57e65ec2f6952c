// SPDX-License-Identifier: Apache-2.0
//
// Tensors offered to a consumer in the ways that it takes.
#pragma once

#include <functional>
#include <memory>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

#include "generators/specs.hpp"

namespace dlcert {

// A function by which a consumer takes tensors, and a form that it takes by that function: the
// versioned one where it takes neither.
struct ImportPath {
  Route route;
  Form form;
};
// Draws a path of the consumer, or one of those in this form: not claimed when there is none, or
// when it claims no plain tensor on the host.
ImportPath draw_import_path(Draw& draw, const Party& consumer);
ImportPath draw_import_path(Draw& draw, const Party& consumer, Form form);

// A claimed tensor in the harness's memory, and the offer that describes it.
struct OfferedTensor {
  TensorSpec spec;
  Bytes logical;
  std::unique_ptr<Offer> offer;
};

// An offered tensor, and the path on which the consumer will get it.
struct DrawnOffer : OfferedTensor {
  ImportPath path;
};

// On a path that the consumer takes. A legacy offer is neither padded nor read-only. byte_offset is
// 0: it has checks of its own.
DrawnOffer draw_offer(Draw& draw, const Party& consumer, SpecBounds bounds = {});
DrawnOffer draw_offer(Case& c, const SpecBounds& bounds = {});

// An offer with a last change to what its descriptor says.
using DescriptorChange = std::function<void(Descriptor&)>;
DrawnOffer draw_changed_offer(Case& c, const SpecBounds& bounds, const DescriptorChange& change);

// An offer in the versioned form; not claimed when no route takes that. `change` may be empty.
DrawnOffer draw_versioned_offer(Case& c, const SpecBounds& bounds, const DescriptorChange& change);

// Makes the descriptor one that a CPU library without exotic types refuses, by what it says of
// device or dtype.
void draw_refusal(Draw& draw, Descriptor& descriptor);

// A compact offer that is to be refused likewise, on a path that the consumer takes. A tensor that
// no object hands over may also be on CUDA's or ROCm's device, if the consumer claims none there.
DrawnOffer draw_refused_offer(Case& c);

}  // namespace dlcert
