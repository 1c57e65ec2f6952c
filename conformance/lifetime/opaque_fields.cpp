// SPDX-License-Identifier: Apache-2.0
//
// The fields that belong to the producer: a deleter that may be missing, a context that nobody else
// looks into.
#include "lifetime/families.hpp"
#include "lifetime/support.hpp"

namespace dlcert::lifetime {
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

void null_deleter_is_not_called(Case& c) {
  const DrawnOffer drawn = draw_changed_offer(c, {.read_only = true}, without_deleter);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  expect_holds(c.consumer, import.tensor(), drawn.spec, drawn.logical);
  import.finish();
}

void null_deleter_is_not_called_on_refusal(Case& c) {
  const DrawnOffer drawn = draw_changed_offer(c, {.padded = false}, [&](Descriptor& descriptor) {
    without_deleter(descriptor);
    draw_refusal(c.draw, descriptor);
  });
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  c.observe(import.accepted() ? "accepted" : "refused");
  import.finish();
}

void context_is_left_alone(Case& c) {
  const DrawnOffer drawn = draw_changed_offer(
      c, {.read_only = true}, c.draw.flip() ? with_unreadable_context : without_context);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  expect_holds(c.consumer, import.tensor(), drawn.spec, drawn.logical);
  import.finish();
  expect(drawn.offer->context_unchanged(),
         "manager_ctx when the deleter runs: expected the producer's value but found another one");
  expect_equal("deleter calls", 1, drawn.offer->deleter_calls());
}

}  // namespace

void register_opaque_field_checks(Suite& suite) {
  suite.add({.requirement = "lifetime.deleter.null-skipped",
             .sentence = "a tensor without deleter is imported and released without calling it",
             .needs = importing,
             .body = null_deleter_is_not_called});
  suite.add({.requirement = "lifetime.deleter.null-skipped",
             .sentence = "a tensor without deleter is refused without calling it",
             .needs = Needs{} | Can::any_import,
             .body = null_deleter_is_not_called_on_refusal});
  suite.add({.requirement = "lifetime.ctx.opaque",
             .sentence = "the context pointer is neither read through nor changed",
             .needs = importing,
             .body = context_is_left_alone});
}

}  // namespace dlcert::lifetime
