// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"

namespace dlcert::hostile {

TensorSpec draw_vector(Case& c, dlcert_dtype dtype) {
  return compact_spec(dtype, {c.draw.between(0, 9)});
}

Bytes logical_bytes(const TensorSpec& spec) {
  return Bytes(static_cast<std::size_t>(spec.element_count()) * logical_item_size(spec.dtype),
               std::byte{0x3F});
}

void require_claimed(const Party& party, const TensorSpec& spec) {
  if (!party.can(spec)) throw NotClaimed{"a vector"};
}

void make_and_describe(Case& c, dlcert_dtype dtype) {
  const TensorSpec spec = draw_vector(c, dtype);
  require_claimed(c.producer, spec);
  const Tensor tensor = require(c.producer.create(spec, logical_bytes(spec)), "create");
  const Description description = require(c.producer.describe(tensor), "describe");
  expect_equal("rank", std::size_t{1}, description.shape.size());
  expect_equal("extent", spec.shape.at(0), description.shape.at(0));
}

Check check(std::string_view requirement, std::string_view sentence, void (*body)(Case&)) {
  Check made;
  made.requirement = requirement;
  made.name = made.sentence = sentence;
  made.role = Role::producer;
  made.needs = Can::create | Can::describe;
  made.body = body;
  return made;
}

}  // namespace dlcert::hostile
