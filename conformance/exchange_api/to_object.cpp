// SPDX-License-Identifier: Apache-2.0
//
// Objects of managed tensors: who owns what, on success and on failure.

#include "exchange_api/support.hpp"
#include "generators/offers.hpp"
#include "generators/placement.hpp"
#include "registration.hpp"
#include "testbench/placed.hpp"

namespace dlcert::exchange_api {

DLCERT_FAMILY(to_object)

namespace {

// ---- success ------------------------------------------------------------------------------------

bool may_alias(const Party& party, const Object& object, const OfferedTensor& offered) {
  const Tensor tensor = require(party.tensor_of(object), "the tensor of an object");
  const Description said = require(party.describe(tensor), "description of an imported tensor");
  return testbench::lies_in(*offered.offer, offered.spec, said.data);
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    object_owns_what_it_took,
    in_both_roles(consumer_check("exchange.to.steals",
                                 "the object of a managed tensor owns it until it is gone",
                                 reading))) {
  const Party& party = c.subject();
  const Table table{party};
  const OfferedTensor offered = draw_offered(c);
  ObjectImport import{table, party, *offered.offer};
  import.require_accepted(offered.spec);
  const int calls = offered.offer->deleter_calls();
  expect(calls <= 1, "deleter calls after to_py_object: expected at most 1 but found {}", calls);
  if (calls == 1 && !offered.logical.empty())
    expect(
        !may_alias(party, import.object(), offered),
        "an object whose tensor was released: expected memory of its own but found the tensor's");
  expect_object_holds(party, import.object(), offered);
  import.finish();
  expect_released_once(*offered.offer);
  expect_equal("deleter calls with another address", 0, offered.offer->stray_deleter_calls());
}

// ---- unusual tensors ----------------------------------------------------------------------------

void without_deleter(Draw&, Descriptor& descriptor) {
  descriptor.deleter = Descriptor::Deleter::null;
}
void without_context(Draw&, Descriptor& descriptor) {
  descriptor.context = Descriptor::Context::null;
}
void without_data(Draw&, Descriptor& descriptor) {
  descriptor.data = Descriptor::Data::null;
}

// A refusal breaks no rule, but a tensor that is taken has its elements and is released.
enum class Refusable : std::uint8_t { no, yes };

void expect_taken(Case& c, const OfferedTensor& offered, int deletions, Refusable refusable) {
  ObjectImport import{Table{c.producer}, c.producer, *offered.offer};
  if (refusable == Refusable::yes && !import.accepted()) return c.declined("refused");
  import.require_accepted(offered.spec);
  c.touched();
  expect_object_holds(c.producer, import.object(), offered);
  import.finish();
  if (deletions == 1) return expect_released_once(*offered.offer);
  expect_equal("deleter calls", deletions, offered.offer->deleter_calls());
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    null_deleter_is_not_called,
    if_touched(producer_check("exchange.to.null-deleter",
                              "to_py_object takes a tensor without deleter or refuses it",
                              reading))) {
  expect_taken(c, draw_offered(c, {}, without_deleter), 0, Refusable::yes);
}
DLCERT_CHECK_ALSO_ON_DEVICES(
    null_context_is_not_followed,
    if_touched(producer_check("exchange.to.null-deleter",
                              "to_py_object takes a tensor without context or refuses it",
                              reading))) {
  expect_taken(c, draw_offered(c, {}, without_context), 1, Refusable::yes);
}
DLCERT_CHECK_ALSO_ON_DEVICES(
    tensor_without_deleter_is_taken,
    if_touched(producer_check("exchange.to.unusual-taken",
                              "to_py_object takes a tensor without deleter", reading))) {
  expect_taken(c, draw_offered(c, {}, without_deleter), 0, Refusable::no);
}
DLCERT_CHECK_ALSO_ON_DEVICES(
    scalar_is_taken,
    if_touched(producer_check("exchange.to.null-deleter",
                              "to_py_object takes a tensor of rank 0 or refuses it", reading))) {
  expect_taken(c, draw_offered(c, {.shape = {.max_rank = 0}}), 1, Refusable::yes);
}

OfferedTensor draw_empty(Case& c) {
  const std::int64_t other_extent = c.draw.between(0, 3);
  const dlcert_dtype dtype = draw_spec(c.draw, c.producer, {.padded = false}).dtype;
  TensorSpec spec = compact_spec(dtype, {0, other_extent});
  spec.device = place();
  require_claimed(c.producer, spec);
  Descriptor descriptor = describe_spec(spec, Form::versioned);
  if (c.draw.flip()) without_data(c.draw, descriptor);
  return {spec, {}, testbench::place_offer(spec, {}, descriptor)};
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    data_of_no_elements_is_not_read,
    if_touched(producer_check("exchange.to.null-deleter",
                              "to_py_object takes a tensor without elements or refuses it",
                              reading))) {
  expect_taken(c, draw_empty(c), 1, Refusable::yes);
}
DLCERT_CHECK_ALSO_ON_DEVICES(
    tensor_without_elements_is_taken,
    if_touched(producer_check("exchange.to.unusual-taken",
                              "to_py_object takes a tensor without elements", reading))) {
  expect_taken(c, draw_empty(c), 1, Refusable::no);
}

// ---- failure ------------------------------------------------------------------------------------

void refuse(Draw& draw, Descriptor& descriptor) {
  draw_refusal(draw, descriptor);
}

void expect_owner_of_the_policy(const Case& c, int calls) {
  const std::string_view policy = c.settings.policy("exchange-to-failure-ownership");
  if (policy == "caller") expect_equal("deleter calls by the failed to_py_object", 0, calls);
  if (policy == "consumer") expect_equal("deleter calls by the failed to_py_object", 1, calls);
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    refused_tensor_is_released_once,
    if_touched(in_both_roles(consumer_check("exchange.to.failure-ownership",
                                            "a tensor that to_py_object refuses is released once",
                                            publishing)))) {
  const OfferedTensor offered =
      draw_offered(c, {.layouts = Layouts::compact, .padded = false}, refuse);
  ObjectImport import{Table{c.subject()}, c.subject(), *offered.offer};
  const int calls = offered.offer->deleter_calls();
  if (import.accepted()) {
    c.declined("accepted");
  } else {
    c.touched();
    c.observe(calls == 0 ? "refused, the caller still owns" : "refused and released");
    expect_owner_of_the_policy(c, calls);
  }
  import.finish();
  expect_equal("deleter calls in total", 1, offered.offer->deleter_calls());
}

}  // namespace
}  // namespace dlcert::exchange_api
