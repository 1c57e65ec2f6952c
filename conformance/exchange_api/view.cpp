// SPDX-License-Identifier: Apache-2.0
//
// Views: descriptors in the caller's storage, of memory that stays the library's.

#include <algorithm>
#include <array>
#include <cstring>

#include "exchange_api/support.hpp"
#include "generators/offers.hpp"
#include "registration.hpp"
#include "testbench/errors.hpp"
#include "testbench/heap.hpp"

namespace dlcert::exchange_api {

DLCERT_FAMILY(view)

namespace {

using testbench::live_allocations;

// What a bare descriptor can say in full.
constexpr SpecBounds without_flags{.padded = false};

// ---- borrowing ----------------------------------------------------------------------------------

// The view of an object; a plain tensor must have one, the refusal of another one ends the case.
DLTensor plain_view(const Table& table, const Party& party, const Object& object,
                    const TensorSpec& spec) {
  DLTensor view{};
  const int code = table.view(object, &view);
  if (code != 0 && !plain(spec)) {
    party.take_object_error();
    throw Declined{"a view of such a tensor is refused"};
  }
  expect_view_given(party, object, code);
  return view;
}

void expect_view(const Table& table, const Party& party, const Object& object,
                 const TensorSpec& spec, const Bytes& logical) {
  const DLTensor view = plain_view(table, party, object, spec);
  expect_describes(*Described{view}, spec, logical);
}

// Whether tensors of which objects are made leave nothing in the heap.
bool objects_leave_nothing(Case& c, const TensorSpec& spec, bool with_views) {
  const Table table{c.producer};
  const Bytes logical = draw_logical(c.draw, spec);
  try {
    testbench::expect_no_growth("objects", 2'000, [&] {
      const Tensor tensor = require(c.producer.create(spec, logical), "creation of a tensor");
      const Object object = object_of(c.producer, tensor);
      if (with_views) plain_view(table, c.producer, object, spec);
    });
  } catch (const Failure&) {
    return false;
  }
  return true;
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    view_fills_its_storage,
    producer_check("exchange.view.non-owning",
                   "a view fills the caller's storage and nothing beside it", making)) {
  const Table table{c.producer};
  const Source source = draw_source(c, without_flags);
  const Object object = object_of(c.producer, source.tensor);
  for (std::int64_t i = c.draw.between(1, 3); i > 0; --i)
    expect_view(table, c.producer, object, source.spec, source.logical);
}

DLCERT_CHECK_ALSO_ON_DEVICES(view_takes_no_share,
                             if_touched(producer_check("exchange.view.non-owning",
                                                       "a view takes no share in the data",
                                                       making | Can::live_allocations))) {
  const Table table{c.producer};
  const std::int64_t before = live_allocations(c.producer);
  {
    const Source source = draw_source(c, without_flags);
    const Object object = object_of(c.producer, source.tensor);
    testbench::touched_if_counted(c, before);
    for (std::int64_t i = c.draw.between(1, 3); i > 0; --i)
      expect_view(table, c.producer, object, source.spec, source.logical);
  }
  testbench::expect_none_left("live allocations when the object of a view is gone", before,
                              c.producer);
}

// Where allocations are not counted: a tensor that a view holds for ever stays in the heap.
DLCERT_CHECK(views_leave_nothing,
             producer_check("exchange.view.non-owning",
                            "thousands of objects with a view leave nothing in the heap", making,
                            1)) {
  if (!testbench::heap_bytes()) throw NotJudged{"the heap cannot be observed"};
  const TensorSpec spec = draw_simple_spec(c.draw, c.producer);
  if (!objects_leave_nothing(c, spec, false))
    throw Declined{"its tensors stay in the heap without a view too"};
  expect(objects_leave_nothing(c, spec, true),
         "heap after 2000 objects with a view: expected no growth, as without views, but found it");
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    view_of_an_import_takes_no_share,
    if_touched(consumer_check("exchange.view.non-owning",
                              "a view of what was imported takes no share in it", publishing))) {
  const Table table{c.consumer};
  const OfferedTensor offered = draw_offered(c, without_flags);
  ObjectImport import{table, c.consumer, *offered.offer};
  import.require_accepted(offered.spec);
  testbench::touched_if(c, offered.offer->deleter_calls() == 0, "imported as a copy");
  expect_view(table, c.consumer, import.object(), offered.spec, offered.logical);
  import.finish();
  expect_released_once(*offered.offer);
}

// ---- what a view cannot say ---------------------------------------------------------------------

bool needs_a_flag(const Managed& managed) {
  return (managed.flags() &
          (DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED)) != 0;
}

TensorSpec draw_flagged_spec(Case& c) {
  TensorSpec spec = draw_spec(c.draw, c.producer, {.read_only = true});
  if (spec.flags == 0) spec.flags = DLCERT_SPEC_READ_ONLY;
  require_claimed(c.producer, spec);
  return spec;
}

DLCERT_CHECK(
    view_of_flagged_data_is_judged_by_policy,
    producer_check("exchange.view.no-flags",
                   "a view of read-only or padded data is refused where the policy asks it",
                   making)) {
  const Table table{c.producer};
  const Source source = make_source(c, draw_flagged_spec(c));
  const Object object = object_of(c.producer, source.tensor);
  if (!needs_a_flag(export_of(table, c.producer, object))) throw NotClaimed{"data with a flag"};
  DLTensor view;
  const int code = table.view(object, &view);
  c.producer.take_object_error();
  c.observe(code == 0 ? "handed out" : "refused");
  expect(code != 0 || c.settings.policy("exchange-view-read-only") == "record",
         "policy exchange-view-read-only=refuse: expected a refusal but found a view");
}

}  // namespace
}  // namespace dlcert::exchange_api
