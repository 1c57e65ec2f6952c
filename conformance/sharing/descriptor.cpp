// SPDX-License-Identifier: Apache-2.0
//
// The struct and its arrays while a consumer holds them.
#include "registration.hpp"
#include "sharing/support.hpp"

namespace dlcert::sharing {

DLCERT_FAMILY(descriptor)

namespace {

void on_read_only_pages(Descriptor& descriptor) {
  descriptor.protection = Protection::read_only_all;
}

// Under the policy `forbid` a write ends the process.
DrawnOffer draw_held_offer(Case& c) {
  const bool forbidden = c.settings.policy("struct-mutation") == "forbid";
  return draw_changed_offer(c, {}, forbidden ? on_read_only_pages : nullptr);
}

DLCERT_CHECK(descriptor_is_the_same_at_the_end,
             consumer_check("sharing.struct-not-modified",
                            "struct, shape and strides say the same when the deleter runs",
                            importing)) {
  const DrawnOffer drawn = draw_held_offer(c);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  expect_holds(c.consumer, import.tensor(), drawn.spec, drawn.logical);
  c.observe(drawn.offer->described_unchanged() ? "left alone" : "changed while held");
  import.finish();
  expect(drawn.offer->described_unchanged(),
         "struct, shape and strides when the deleter runs: expected them as they were but found "
         "them changed");
  expect_deleted_once(*drawn.offer);
}

}  // namespace
}  // namespace dlcert::sharing
