// SPDX-License-Identifier: Apache-2.0
#include "sharing/pair_support.hpp"

#include <cstdint>
#include <utility>

#include "registration.hpp"

namespace dlcert::sharing {

Check pair_check(std::string_view requirement, std::string_view sentence, std::size_t rows,
                 Needs needs) {
  Check check = consumer_check(requirement, sentence, needs, rows);
  check.pair = true;
  check.says_touched = true;
  check.one_in = UINT16_MAX;  // one row that exercised it is enough; the others are told one by one
  return check;
}

bool claims_to_take(const Party& consumer, const TensorSpec& spec) {
  if (consumer.can(spec)) return true;
  TensorSpec writable = spec;
  writable.flags &= ~std::uint32_t{DLCERT_SPEC_READ_ONLY};
  return spec.read_only() && consumer.can(writable);
}

Tensor taken(Case& c, const TensorSpec& spec, Outcome<Tensor> outcome) {
  if (outcome.ok()) return std::move(outcome).value();
  if (!c.consumer.can(spec)) throw NotClaimed{"as consumer read-only tensors"};
  c.refused(to_text(outcome.error()));
  throw Declined{"refused"};
}

}  // namespace dlcert::sharing
