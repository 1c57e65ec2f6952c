// SPDX-License-Identifier: Apache-2.0
#include "generators/offers.hpp"

namespace dlcert {

namespace {

struct Way {
  Route route;
  Form form;
};

Way draw_way(Draw& draw, const Party& consumer) {
  const Route route = draw_route(draw, consumer);
  return {route, draw_form(draw, consumer, route)};
}

Way draw_versioned_way(Draw& draw, const Party& consumer) {
  std::vector<Route> fitting;
  for (const Route route : routes(consumer))
    if (forms(consumer, route).front() == Form::versioned) fitting.push_back(route);
  if (fitting.empty()) throw NotClaimed{"versioned tensors"};
  return {draw.one_of(fitting), Form::versioned};
}

DrawnOffer drawn_offer(Draw& draw, const Party& consumer, Way way, SpecBounds bounds,
                       const DescriptorChange& change) {
  DrawnOffer drawn;
  drawn.route = way.route;
  drawn.form = way.form;
  if (drawn.form == Form::legacy) bounds.padded = bounds.read_only = false;
  drawn.spec = draw_spec(draw, consumer, bounds);
  drawn.logical = draw_logical(draw, drawn.spec);
  Descriptor descriptor = describe_spec(drawn.spec, drawn.form);
  if (change) change(descriptor);
  drawn.offer = std::make_unique<Offer>(descriptor, scatter(drawn.spec, drawn.logical));
  return drawn;
}

}  // namespace

DrawnOffer draw_offer(Draw& draw, const Party& consumer, SpecBounds bounds) {
  return drawn_offer(draw, consumer, draw_way(draw, consumer), bounds, nullptr);
}

DrawnOffer draw_offer(Case& c, const SpecBounds& bounds) {
  return drawn_offer(c.draw, c.consumer, draw_way(c.draw, c.consumer), bounds, nullptr);
}

DrawnOffer draw_changed_offer(Case& c, const SpecBounds& bounds, const DescriptorChange& change) {
  return drawn_offer(c.draw, c.consumer, draw_way(c.draw, c.consumer), bounds, change);
}

DrawnOffer draw_versioned_offer(Case& c, const SpecBounds& bounds, const DescriptorChange& change) {
  return drawn_offer(c.draw, c.consumer, draw_versioned_way(c.draw, c.consumer), bounds, change);
}

namespace {

constexpr dlcert_device strange_devices[] = {{2, 0}, {99, 0}, {10, 1}};
constexpr dlcert_dtype strange_dtypes[] = {
    {200, 8, 1}, {2, 24, 1}, {17, 8, 1}, {15, 8, 1}, {5, 48, 1}};

}  // namespace

void draw_refusal(Draw& draw, Descriptor& descriptor) {
  if (draw.flip())
    descriptor.device = draw.one_of(strange_devices);
  else
    descriptor.dtype = draw.one_of(strange_dtypes);
}

bool shares_memory(const Party& consumer, const Tensor& imported, const DrawnOffer& drawn) {
  if (drawn.spec.element_count() == 0) return false;
  const Description said =
      require(consumer.describe(imported), "description of an imported tensor");
  return said.data == drawn.offer->first_element();
}

}  // namespace dlcert
