// SPDX-License-Identifier: Apache-2.0
#include "testbench/further_devices.hpp"

#include <map>
#include <utility>
#include <vector>

namespace dlcert::testbench {

namespace {

constexpr NotClaimed no_further_device{"tensors on further devices"};

// Asked once for each library.
const std::vector<TensorSpec>& specs_of(const Party& library) {
  static std::map<const dlcert_adapter*, std::vector<TensorSpec>> known;
  const auto [at, is_new] = known.try_emplace(&library.table());
  if (is_new) at->second = plain_specs_on_further_devices(library);
  return at->second;
}

}  // namespace

Source make_on_further_device(Case& c, const Party& library,
                              std::optional<std::int32_t> device_type) {
  std::vector<TensorSpec> specs;
  for (const TensorSpec& spec : specs_of(library))
    if (!device_type || spec.device.type == *device_type) specs.push_back(spec);
  if (specs.empty()) throw no_further_device;
  TensorSpec spec = c.draw.one_of(specs);
  Bytes logical = draw_logical(c.draw, spec);
  auto made = library.create(spec, logical);
  if (!made.ok()) throw no_further_device;
  const Description said = require(library.describe(made.value()), "description of a tensor");
  if (!(said.device == spec.device)) throw no_further_device;
  return {std::move(spec), std::move(logical), std::move(made).value()};
}

}  // namespace dlcert::testbench
