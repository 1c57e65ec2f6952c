// SPDX-License-Identifier: Apache-2.0
//
// An export of device memory is a view of it.
#include "sharing/families.hpp"
#include "sharing/support.hpp"
#include "testbench/handover.hpp"

namespace dlcert::sharing {
namespace {

using stream::Handover;
using stream::Stage;

// Whether this layout is one that has to be shared; others are recorded.
bool must_share(const Case& c, const Handover& handover) {
  return handover.spec().contiguous() || c.settings.policy("zero-copy-scope") == "strided";
}

bool is_at_the_source(Handover& handover) {
  return handover.exported_range().begin == handover.range().begin &&
         handover.exported_range().size == handover.range().size;
}

void device_export_is_at_the_sources_address(Case& c) {
  Stage stage{c};
  Handover handover{c, stage, stage.draw_queue(stage.draw_device())};
  handover.run_idle(stream::request_on(c.draw, none()));
  if (!handover.accepted()) throw NotClaimed{"export of device memory"};
  const bool shares = is_at_the_source(handover);
  if (!must_share(c, handover)) return c.observe(shares ? "strided: shared" : "strided: copied");
  expect_equal("address of the elements", handover.range().begin, handover.exported_range().begin);
  expect(shares, "size of the elements: expected {} bytes but found {}", handover.range().size,
         handover.exported_range().size);
  expect(!says_copied(handover.exported().managed()),
         "flags of a view: expected no copied bit but found it set");
}

void writes_on_a_device_pass_through_the_export(Case& c) {
  Stage stage{c};
  const stream::Queue queue = stage.draw_queue(stage.draw_device());
  Handover handover{c, stage, queue};
  handover.run_idle(stream::request_on(c.draw, integer(-1)));
  if (!handover.accepted()) throw NotClaimed{"stream -1"};
  if (!is_at_the_source(handover)) throw NotClaimed{"memory that is shared"};
  const stream::Range shared = handover.exported_range();
  stage.write_later(queue, shared, Handover::mark);
  expect_equal("bytes of the source after a write to the export", Handover::marked(shared.size),
               stage.read_on(queue, handover.range()));
  handover.tensor().release();
  expect_equal("bytes of the export without its source", Handover::marked(shared.size),
               stage.read_on(queue, shared));
  stage.expect_no_race();
}

}  // namespace

void register_device_memory_checks(Suite& suite) {
  add_for_both(suite, stream::producer_check(
                          "sharing.zero-copy-when-possible",
                          "an export of device memory begins at the source's first element",
                          device_export_is_at_the_sources_address));
  add_for_both(suite, stream::producer_check("sharing.mutation-visible",
                                             "writes on a device pass through the export",
                                             writes_on_a_device_pass_through_the_export));
}

}  // namespace dlcert::sharing
