// SPDX-License-Identifier: Apache-2.0
#include "generators/offers.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dlcert {

namespace {

// The forms that a consumer of tensors on the host takes: as draw_form() has it, the versioned one
// where it refuses both.
std::vector<Form> host_forms(const Party& consumer, Route route) {
  std::vector<Form> taken = forms(consumer, route);
  if (!taken.empty()) return taken;
  if (!plain_spec(consumer)) throw NoTensorClaimed{"a plain tensor on the host"};
  return {Form::versioned};
}

}  // namespace

ImportPath draw_import_path(Draw& draw, const Party& consumer) {
  const Route route = draw_route(draw, consumer);
  return {route, draw.one_of(host_forms(consumer, route))};
}

ImportPath draw_import_path(Draw& draw, const Party& consumer, Form form) {
  std::vector<Route> fitting;
  for (const Route route : routes(consumer))
    if (std::ranges::count(host_forms(consumer, route), form) != 0) fitting.push_back(route);
  if (fitting.empty())
    throw NotClaimed{form == Form::legacy ? "legacy tensors" : "versioned tensors"};
  return {draw.one_of(fitting), form};
}

namespace {

DrawnOffer drawn_offer(Draw& draw, const Party& consumer, ImportPath path, SpecBounds bounds,
                       const DescriptorChange& change) {
  if (path.form == Form::legacy) {
    bounds.padded = bounds.read_only = false;
    bounds.writable = true;
  }
  TensorSpec spec = draw_spec(draw, consumer, bounds);
  Bytes logical = draw_logical(draw, spec);
  Descriptor descriptor = describe_spec(spec, path.form);
  if (change) change(descriptor);
  auto offer = std::make_unique<Offer>(descriptor, scatter(spec, logical));
  return {{std::move(spec), std::move(logical), std::move(offer)}, path};
}

}  // namespace

DrawnOffer draw_offer(Draw& draw, const Party& consumer, SpecBounds bounds) {
  return drawn_offer(draw, consumer, draw_import_path(draw, consumer), bounds, nullptr);
}

DrawnOffer draw_offer(Case& c, const SpecBounds& bounds) {
  return drawn_offer(c.draw, c.consumer, draw_import_path(c.draw, c.consumer), bounds, nullptr);
}

DrawnOffer draw_changed_offer(Case& c, const SpecBounds& bounds, const DescriptorChange& change) {
  return drawn_offer(c.draw, c.consumer, draw_import_path(c.draw, c.consumer), bounds, change);
}

DrawnOffer draw_versioned_offer(Case& c, const SpecBounds& bounds, const DescriptorChange& change) {
  return drawn_offer(c.draw, c.consumer, draw_import_path(c.draw, c.consumer, Form::versioned),
                     bounds, change);
}

namespace {

// OpenCL, a type that there is not, Metal. A library may have CUDA's or ROCm's, where an address of
// the host is no refusal's matter.
constexpr dlcert_device strange_devices[] = {{4, 0}, {99, 0}, {8, 1}};
constexpr dlcert_device gpu_devices[] = {{2, 0}, {10, 0}};
constexpr dlcert_dtype strange_dtypes[] = {
    {200, 8, 1}, {2, 24, 1}, {17, 8, 1}, {15, 8, 1}, {5, 48, 1}};

void draw_refusal(Draw& draw, std::span<const dlcert_device> devices, Descriptor& descriptor) {
  if (draw.flip())
    descriptor.device = draw.one_of(devices);
  else
    descriptor.dtype = draw.one_of(strange_dtypes);
}

// A consumer may ask its GPU runtime for a stream before it gets the tensor of an object on a GPU.
// That runtime decides then, not the import of the tensor.
std::vector<dlcert_device> devices_to_refuse(const Party& consumer, Route route) {
  std::vector<dlcert_device> devices(std::begin(strange_devices), std::end(strange_devices));
  std::optional<TensorSpec> spec = plain_spec(consumer);
  if (route == Route::producer || !spec) return devices;
  for (const dlcert_device device : gpu_devices) {
    spec->device = device;
    if (!consumer.can(*spec)) devices.push_back(device);
  }
  return devices;
}

}  // namespace

void draw_refusal(Draw& draw, Descriptor& descriptor) {
  draw_refusal(draw, strange_devices, descriptor);
}

DrawnOffer draw_refused_offer(Case& c) {
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  const std::vector<dlcert_device> devices = devices_to_refuse(c.consumer, path.route);
  return drawn_offer(c.draw, c.consumer, path, {.layouts = Layouts::compact, .padded = false},
                     [&](Descriptor& descriptor) { draw_refusal(c.draw, devices, descriptor); });
}

}  // namespace dlcert
