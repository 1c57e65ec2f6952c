// SPDX-License-Identifier: Apache-2.0
#include "lifetime/support.hpp"

namespace dlcert::lifetime {

std::vector<Tensor> draw_handles(Case& c, Import& import) {
  std::vector<Tensor> handles;
  const std::uint64_t aliases =
      c.consumer.offers(Needs{} | Can::alias) ? c.draw.below(4) : std::uint64_t{0};
  for (std::uint64_t i = 0; i < aliases; ++i)
    handles.push_back(require(c.consumer.alias(import.tensor()), "alias of an imported tensor"));
  handles.push_back(std::move(import.tensor()));
  return handles;
}

Tensor draw_one(Case& c, std::vector<Tensor>& handles) {
  const auto chosen = handles.begin() + static_cast<std::ptrdiff_t>(c.draw.below(handles.size()));
  Tensor taken = std::move(*chosen);
  handles.erase(chosen);
  return taken;
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

std::int64_t live_allocations(const Party& party) {
  return party.offers(Needs{} | Can::count_allocations) ? party.live_allocations() : 0;
}

}  // namespace dlcert::lifetime
