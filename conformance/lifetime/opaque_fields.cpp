// SPDX-License-Identifier: Apache-2.0
//
// The fields that belong to the producer: a deleter that may be missing, a context that nobody else
// looks into.
#include <dlcert/suite/trace.hpp>

#include "lifetime/support.hpp"
#include "registration.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(opaque_fields)

namespace {

void without_deleter(Descriptor& descriptor) {
  descriptor.deleter = Descriptor::Deleter::null;
}

void without_context(Descriptor& descriptor) {
  descriptor.context = Descriptor::Context::null;
}

void with_unreadable_context(Descriptor& descriptor) {
  descriptor.context = Descriptor::Context::unreadable;
}

DLCERT_CHECK(null_deleter_is_not_called,
             consumer_check("lifetime.deleter.null-skipped",
                            "a tensor without deleter is imported and released without calling it",
                            importing)) {
  const DrawnOffer drawn = draw_changed_offer(c, {.read_only = true}, without_deleter);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  expect_holds(c.consumer, import.tensor(), drawn.spec, drawn.logical);
  import.finish();
}

DLCERT_CHECK(null_deleter_is_not_called_on_refusal,
             if_touched(consumer_check("lifetime.deleter.null-skipped",
                                       "a tensor without deleter is refused without calling it",
                                       Needs{} | Can::any_import))) {
  const DrawnOffer drawn = draw_changed_offer(c, {.padded = false}, [&](Descriptor& descriptor) {
    without_deleter(descriptor);
    draw_refusal(c.draw, descriptor);
  });
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  touched_by_refusal(c, import);
  import.finish();
}

// Returns true if the consumer deletes a tensor that has a context.
bool deletes_with_context(Case& c) {
  const TracePause pause;  // the trace has the case alone
  const DrawnOffer drawn = draw_changed_offer(c, {.read_only = true}, {});
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  if (!import.accepted()) return false;
  import.finish();
  expect_deleted_once(*drawn.offer);
  return true;
}

// A consumer that deletes other tensors, and none without a context, reads meaning into it.
void expect_deleted_without_context(Case& c, const Offer& offer) {
  try {
    expect_deleted_once(offer);
  } catch (Failure& failure) {
    if (!deletes_with_context(c)) throw;
    failure.message += " where manager_ctx is NULL, but one call where it is not";
    failure.owners.clear();
    throw;
  }
}

DLCERT_CHECK(context_is_left_alone,
             consumer_check("lifetime.ctx.opaque",
                            "the context pointer is neither read through nor changed", importing)) {
  const bool has_context = c.draw.flip();
  const DrawnOffer drawn = draw_changed_offer(
      c, {.read_only = true}, has_context ? with_unreadable_context : without_context);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  expect_holds(c.consumer, import.tensor(), drawn.spec, drawn.logical);
  import.finish();
  expect(drawn.offer->context_unchanged(),
         "manager_ctx when the deleter runs: expected the producer's value but found another one");
  if (has_context)
    expect_deleted_once(*drawn.offer);
  else
    expect_deleted_without_context(c, *drawn.offer);
}

}  // namespace
}  // namespace dlcert::lifetime
