// SPDX-License-Identifier: Apache-2.0
//
// What a consumer does once it has called the deleter: nothing to the tensor. The deleter makes its
// pages inaccessible.
#include "lifetime/support.hpp"
#include "registration.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(after_release)

namespace {

// Imports, releases and describes something else, so that what was put off gets done.
void go_on(Case& c, const DrawnOffer& earlier) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const Bytes logical = draw_logical(c.draw, spec);
  const auto offer = make_offer(spec, logical, earlier.path.form);
  Import import{c.consumer, *offer, earlier.path.route};
  if (import.accepted()) expect_holds(c.consumer, import.tensor(), spec, logical);
  import.finish();
}

DLCERT_CHECK(
    released_memory_is_not_touched,
    consumer_check("lifetime.deleter.no-access-after",
                   "neither struct, arrays nor data are touched once the deleter was called",
                   importing)) {
  const DrawnOffer drawn = draw_offer(c, {.read_only = true});
  drawn.offer->seal_after_release();
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  std::vector<Tensor> handles = draw_handles(c, import);
  while (!handles.empty()) {
    const Tensor handle = draw_one(c, handles);
    expect_holds(c.consumer, handle, drawn.spec, drawn.logical);
  }
  import.finish();
  go_on(c, drawn);
  expect_deleted_once(*drawn.offer);
}

// A consumer asked for a copy may give the tensor back at once; what it then shows is its own.
DLCERT_CHECK(copy_does_not_need_the_original,
             if_touched(consumer_check("lifetime.deleter.no-access-after",
                                       "a copy stands on its own once its original was given back",
                                       Can::import_from | Can::describe | Can::reads_back))) {
  SpecBounds bounds;
  bounds.padded = false;
  const TensorSpec spec = draw_spec(c.draw, c.consumer, bounds);
  const Bytes logical = draw_logical(c.draw, spec);
  const auto offer = make_offer(spec, logical, draw_form(c.draw, c.consumer, Route::producer));
  offer->seal_after_release();
  dlcert_import_request request = import_request();
  request.copy = boolean(true);
  Import import{c.consumer, *offer, Route::producer, request};
  if (!import.accepted()) {
    c.declined("refused to copy");
  } else {
    const bool given_back = offer->deleter_calls() != 0;
    expect_holds(c.consumer, import.tensor(), spec, logical);
    if (given_back)
      c.touched();
    else
      c.declined("keeps the original while the copy lives");
  }
  import.finish();
  expect_deleted_once(*offer);
}

}  // namespace
}  // namespace dlcert::lifetime
