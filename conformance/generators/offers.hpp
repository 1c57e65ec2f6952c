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

// A claimed tensor in the harness's memory, and the way in which it will be handed over.
struct DrawnOffer {
  Route route;
  Form form;
  TensorSpec spec;
  Bytes logical;
  std::unique_ptr<Offer> offer;
};

// By a route and in a form that the consumer takes. A legacy offer is neither padded nor read-only.
// byte_offset is 0: it has checks of its own.
DrawnOffer draw_offer(Draw& draw, const Party& consumer, SpecBounds bounds = {});
DrawnOffer draw_offer(Case& c, const SpecBounds& bounds = {});

// The same, with a last change to what the descriptor says.
using DescriptorChange = std::function<void(Descriptor&)>;
DrawnOffer draw_changed_offer(Case& c, const SpecBounds& bounds, const DescriptorChange& change);

// The same in the versioned form, by a route that takes it. Not claimed when there is none.
// `change` may be empty.
DrawnOffer draw_versioned_offer(Case& c, const SpecBounds& bounds, const DescriptorChange& change);

// Makes the descriptor one that a CPU library without exotic types refuses, by what it says of
// device or dtype.
void draw_refusal(Draw& draw, Descriptor& descriptor);

// Whether the imported tensor is known to lie on the offer's own memory.
bool shares_memory(const Party& consumer, const Tensor& imported, const DrawnOffer& drawn);

}  // namespace dlcert
