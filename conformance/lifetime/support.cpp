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

void touched_by_refusal(Case& c, const Import& import) {
  if (import.accepted()) return c.declined("accepted");
  if (!import.handed_out()) return c.declined("refused before it was handed over");
  c.observe("refused");
  c.touched();
}

}  // namespace dlcert::lifetime
