// SPDX-License-Identifier: Apache-2.0
//
// Exchanges and releases while a graph is captured.

#include "testbench/capture.hpp"

#include "stream/families.hpp"
#include "testbench/delivery.hpp"
#include "testbench/handover.hpp"

namespace dlcert::stream {
namespace {

using driver::CaptureMode;

bool is_judged(const Case& c) {
  return c.settings.policy("stream-graph-capture") == "preserve";
}

// ---- exports ----

// What an export adds to the graph is what a replay runs, so the data after it tells.
void capture_survives_an_export(Case& c) {
  Stage stage{c};
  const Queue queue = draw_captured_queue(c, stage, stage.draw_device());
  Handover handover{c, stage, queue};
  const Range seen =
      stage.allocate(driver::MemoryKind::device, queue.device, handover.range().size);
  Capture capture{c, stage, queue};
  const bool own = c.draw.flip();
  handover.run_captured(request_on(c.draw, integer(own ? number_of(stage, queue) : -1)));
  if (!is_judged(c)) return c.observe(capture.intact() ? "intact" : "broken");
  expect(capture.intact(), "a capture during an export: expected it to go on but it was broken");
  handover.require_accepted();
  stage.copy_later(queue, handover.range(), seen);
  capture.replay();
  expect_equal("bytes that a replay reads", Handover::marked(seen.size),
               stage.read_on(queue, seen));
}

void default_stream_during_a_capture_is_recorded(Case& c) {
  Stage stage{c};
  const Queue queue = draw_captured_queue(c, stage, stage.draw_device());
  Handover handover{c, stage, queue};
  const Capture capture{c, stage, queue};
  handover.run_idle(request_on(c.draw, none()));
  c.observe(handover.accepted() ? "exported" : "refused");
  c.observe(capture.intact() ? "intact" : "broken");
}

// ---- imports ----

void capture_survives_an_import(Case& c) {
  Stage stage{c};
  const int device = stage.draw_device();
  const Queue queue = draw_captured_queue(c, stage, device);
  Delivery delivery{c, stage, device};
  delivery.order_nothing();
  bool intact = false;
  {
    const Capture capture{c, stage, queue};
    delivery.import_on(queue, [&] { intact = capture.intact(); });
  }
  if (!is_judged(c)) return c.observe(intact ? "intact" : "broken");
  expect(intact, "a capture during an import: expected it to go on but it was broken");
  if (!delivery.accepted()) throw NotClaimed{"an import of device memory"};
}

// ---- releases ----

void judge_release(Case& c, bool intact) {
  c.observe(intact ? "intact" : "broken");
  expect(intact || c.settings.policy("deleter-during-capture") == "record",
         "policy deleter-during-capture=survive: expected the capture to go on but it was broken");
}

void capture_and_a_release_by_the_consumer(Case& c) {
  Stage stage{c};
  const int device = stage.draw_device();
  Handover handover{c, stage, stage.draw_queue(device)};
  handover.run_idle(request_on(c.draw, integer(-1)));
  if (!handover.accepted()) throw NotClaimed{"stream -1"};
  const Capture capture{stage, stage.queue(device, Kind::non_blocking), CaptureMode::global};
  handover.release();
  handover.tensor().release();
  judge_release(c, capture.intact());
}

void capture_and_a_release_of_an_import(Case& c) {
  Stage stage{c};
  const int device = stage.draw_device();
  Delivery delivery{c, stage, device};
  delivery.import_on(stage.queue(device, Kind::non_blocking), [] {});
  if (!delivery.accepted()) throw NotClaimed{"an import of device memory"};
  const Capture capture{stage, stage.queue(device, Kind::non_blocking), CaptureMode::global};
  delivery.release();
  judge_release(c, capture.intact());
}

}  // namespace

void register_capture_checks(Suite& suite) {
  add_for_both(suite, producer_check("stream.graph-capture.no-sync",
                                     "a capture survives an export with -1 or its own stream",
                                     capture_survives_an_export));
  add_for_both(suite, producer_check("stream.graph-capture.no-sync",
                                     "what an export with None does to a capture is recorded",
                                     default_stream_during_a_capture_is_recorded));
  add_for_both(suite, consumer_check("stream.graph-capture.no-sync",
                                     "a capture survives an import on its stream",
                                     capture_survives_an_import));
  add_for_both(suite, producer_check("stream.graph-capture.deleter",
                                     "what a deleter does to a capture follows the policy",
                                     capture_and_a_release_by_the_consumer));
  add_for_both(suite,
               consumer_check("stream.graph-capture.deleter",
                              "what releasing an import does to a capture follows the policy",
                              capture_and_a_release_of_an_import));
}

}  // namespace dlcert::stream
