// SPDX-License-Identifier: Apache-2.0
//
// What an export must not do: block the host, order what needs no order, or keep the consumer's
// stream.

#include <algorithm>

#include "stream/families.hpp"
#include "testbench/handover.hpp"

namespace dlcert::stream {
namespace {

void export_does_not_block_the_host(Case& c) {
  Stage stage{c};
  Handover handover{c, stage, stage.draw_queue(stage.draw_device())};
  const Queue consumer = stage.draw_consumer(handover.queue());
  handover.run(request_on(c.draw, integer(number_of(stage, consumer))));
  handover.require_accepted();
  handover.expect_host_not_blocked();
}

void one_stream_needs_no_event(Case& c) {
  Stage stage{c};
  if (!stage.records_calls()) throw NotClaimed{"a driver that records calls"};
  const Queue queue = stage.draw_queue(stage.draw_device());
  if (stage.rocm() && queue.kind == Kind::per_thread) throw Discard{};
  Handover handover{c, stage, queue};
  handover.run(request_on(c.draw, integer(number_of(stage, queue))));
  handover.require_accepted();
  const std::string_view call = event_call(handover.calls());
  expect(call.empty(), "export to the producer's own stream: expected no call but found {}", call);
}

void minus_one_orders_nothing(Case& c) {
  Stage stage{c};
  Handover handover{c, stage, stage.draw_queue(stage.draw_device())};
  handover.run(request_on(c.draw, integer(-1)));
  handover.require_accepted();
  handover.expect_nothing_ordered();
}

// ---- the stream is the consumer's ----

Queue draw_own_stream(Case& c, Stage& stage, int device) {
  constexpr std::array kinds{Kind::non_blocking, Kind::blocking};
  return stage.queue(device, c.draw.one_of(kinds));
}

bool uses(const driver::Call& call, const Queue& queue) {
  return call.stream == queue.native;
}

void stream_outlives_the_export(Case& c) {
  Stage stage{c};
  Handover handover{c, stage, stage.draw_queue(stage.draw_device())};
  const Queue consumer = draw_own_stream(c, stage, handover.queue().device);
  handover.run(request_on(c.draw, integer(number_of(stage, consumer))));
  handover.require_accepted();
  std::vector<driver::Call> calls = handover.calls();
  const auto released = stage.calls_of([&] {
    handover.release();
    handover.tensor().release();
  });
  calls.insert(calls.end(), released.begin(), released.end());
  const bool destroyed = std::ranges::any_of(calls, [&](const driver::Call& call) {
    return call.function == "destroy_stream" && uses(call, consumer);
  });
  expect(!destroyed, "the consumer's stream: expected it to live but the producer destroyed it");
  stage.expect_usable(consumer);
}

void stream_is_forgotten_after_the_export(Case& c) {
  Stage stage{c};
  if (!stage.records_calls()) throw NotClaimed{"a driver that records calls"};
  Handover handover{c, stage, stage.draw_queue(stage.draw_device())};
  const Queue consumer = draw_own_stream(c, stage, handover.queue().device);
  handover.run(request_on(c.draw, integer(number_of(stage, consumer))));
  handover.require_accepted();
  stage.read_on(consumer, handover.range());
  stage.destroy(consumer);
  const auto calls = stage.calls_of([&] {
    handover.release();
    handover.tensor().release();
  });
  const auto late =
      std::ranges::find_if(calls, [&](const driver::Call& call) { return uses(call, consumer); });
  expect(late == calls.end(), "calls on the consumer's dead stream: expected none but found {}",
         late == calls.end() ? "" : late->function);
}

}  // namespace

void register_restraint_checks(Suite& suite) {
  add_for_both(suite, producer_check("stream.async-preferred",
                                     "an export to a stream does not block the host",
                                     export_does_not_block_the_host));
  add_for_both(suite, producer_check("stream.async-preferred",
                                     "an export to the producer's own stream orders nothing",
                                     one_stream_needs_no_event));
  add_for_both(suite, producer_check("stream.minus-one-no-sync",
                                     "an export with -1 orders and waits for nothing",
                                     minus_one_orders_nothing));
  add_for_both(suite, producer_check("stream.ownership-consumer",
                                     "the consumer's stream outlives the export and its release",
                                     stream_outlives_the_export));
  add_for_both(suite, producer_check("stream.not-retained",
                                     "the consumer's stream is not used after the export",
                                     stream_is_forgotten_after_the_export));
}

}  // namespace dlcert::stream
