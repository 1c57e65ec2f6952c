// SPDX-License-Identifier: Apache-2.0
//
// A producer's pending work comes before what the consumer does next on the stream that it named.

#include "stream/families.hpp"
#include "testbench/handover.hpp"

namespace dlcert::stream {
namespace {

// Exports behind pending work with `value`, which names `consumer`. Whether the producer accepted.
bool accepts_in_order(Case& c, Handover& handover, std::int64_t value, const Queue& consumer) {
  handover.run(request_on(c.draw, integer(value)));
  c.observe(handover.accepted() ? "accepted" : "refused");
  if (handover.accepted()) handover.expect_ordered(consumer);
  return handover.accepted();
}

void hand_over(Case& c, Handover& handover, const Queue& consumer, std::int64_t value) {
  if (!accepts_in_order(c, handover, value, consumer)) handover.require_accepted();
}

// ---- every stream that the standard can name ----

void pending_work_precedes_the_consumers(Case& c) {
  Stage stage{c};
  Handover handover{c, stage, stage.draw_queue(stage.draw_device())};
  const Queue consumer = stage.draw_consumer(handover.queue());
  hand_over(c, handover, consumer, number_of(stage, consumer));
}

void same_stream_needs_nothing_more(Case& c) {
  Stage stage{c};
  const Queue queue = stage.draw_queue(stage.draw_device());
  if (stage.rocm() && queue.kind == Kind::per_thread) throw Discard{};
  Handover handover{c, stage, queue};
  hand_over(c, handover, queue, number_of(stage, queue));
}

// A second stream of the producer, which was current when the tensor was written, but no more.
void work_on_other_streams_follows_the_policy(Case& c) {
  Stage stage{c};
  const int device = stage.draw_device();
  const Queue left = stage.queue(device, Kind::non_blocking);
  Handover handover{c, stage, stage.queue(device, Kind::non_blocking)};
  const Queue consumer = stage.queue(device, Kind::non_blocking);
  handover.write_on(left);
  handover.run_idle(request_on(c.draw, integer(number_of(stage, consumer))));
  handover.require_accepted();
  if (c.settings.policy("producer-other-streams") == "all")
    return handover.expect_ordered(consumer);
  const Bytes seen = handover.read_on(consumer);
  c.observe(seen == Handover::marked(seen.size()) ? "ordered in this schedule" : "not ordered");
}

// ---- values with a meaning of their own ----

// What an omitted or a None stream must do, by a policy.
void default_stream_follows(Case& c, std::string_view policy, const dlcert_value& value) {
  Stage stage{c};
  constexpr std::array kinds{Kind::non_blocking, Kind::per_thread, Kind::blocking};
  const Queue queue = stage.queue(stage.draw_device(), c.draw.one_of(kinds));
  Handover handover{c, stage, queue};
  // Whether another device may be current has a policy of its own.
  stage.on(queue.device, [&] { handover.run(request_on(c.draw, value)); });
  expect(handover.accepted(), "export with stream={}: expected success but found {}",
         to_text(value), handover.accepted() ? "" : to_text(handover.error()));
  if (policy == "no-synchronization") return handover.expect_nothing_ordered();
  handover.expect_ordered(stage.queue(queue.device, Kind::legacy));
}

void none_is_the_legacy_stream_on_cuda(Case& c) {
  default_stream_follows(c, c.settings.policy("stream-none-cuda"), none());
}

void none_is_the_default_stream_on_rocm(Case& c) {
  default_stream_follows(c, c.settings.policy("stream-none-rocm"), none());
}

void omitted_means_none(Case& c) {
  const bool rocm = driver::driver().vendor() == driver::Vendor::rocm;
  const bool as_none = c.settings.policy("stream-omitted") == "as-none";
  const std::string_view meaning =
      as_none ? c.settings.policy(rocm ? "stream-none-rocm" : "stream-none-cuda")
              : "no-synchronization";
  default_stream_follows(c, meaning, absent());
}

// Whether the producer accepts `value`, from a stream that no default stream waits for.
bool accepts_default_in_order(Case& c, std::int64_t value, Kind consumer) {
  Stage stage{c};
  Handover handover{c, stage, stage.queue(stage.draw_device(), Kind::non_blocking)};
  return accepts_in_order(c, handover, value, stage.queue(handover.queue().device, consumer));
}

void require_default_in_order(Case& c, std::int64_t value, Kind consumer) {
  if (!accepts_default_in_order(c, value, consumer)) throw NotClaimed{"this stream"};
}

void one_is_the_legacy_stream(Case& c) {
  require_default_in_order(c, 1, Kind::legacy);
}

void two_is_the_per_thread_stream(Case& c) {
  if (c.settings.policy("stream-two-cuda") == "optional")
    return require_default_in_order(c, 2, Kind::per_thread);
  expect(accepts_default_in_order(c, 2, Kind::per_thread),
         "policy stream-two-cuda=require: expected stream 2 to be accepted but it was refused");
}

void zero_is_refused_or_the_legacy_stream(Case& c) {
  const bool accepted = accepts_default_in_order(c, 0, Kind::legacy);
  expect(!accepted || c.settings.policy("stream-zero-cuda") == "legacy-default",
         "stream 0, which may be either default stream: expected a refusal but it was accepted");
}

void zero_is_the_default_stream_on_rocm(Case& c) {
  require_default_in_order(c, 0, Kind::legacy);
}

void large_values_are_native_handles(Case& c) {
  Stage stage{c};
  Handover handover{c, stage, stage.draw_queue(stage.draw_device())};
  constexpr std::array kinds{Kind::non_blocking, Kind::blocking};
  const Queue consumer = stage.queue(handover.queue().device, c.draw.one_of(kinds));
  hand_over(c, handover, consumer, number_of(stage, consumer));
}

// Support of values other than None is optional; accepting one without honouring it is not.
void unsupported_values_are_refused_rather_than_ignored(Case& c) {
  Stage stage{c};
  Handover handover{c, stage, stage.draw_queue(stage.draw_device())};
  const Queue consumer = stage.draw_consumer(handover.queue());
  accepts_in_order(c, handover, number_of(stage, consumer), consumer);
}

}  // namespace

void register_ordering_checks(Suite& suite) {
  add_for_both(suite, producer_check("stream.producer-orders",
                                     "pending work precedes what the consumer enqueues next",
                                     pending_work_precedes_the_consumers));
  add_for_both(suite, producer_check("stream.producer-orders",
                                     "a tensor handed over on its own stream is in order",
                                     same_stream_needs_nothing_more));
  add_for_both(suite, producer_check("stream.producer-orders",
                                     "work on other streams of the producer follows the policy",
                                     work_on_other_streams_follows_the_policy));
  add_for_both(suite, producer_check("stream.non-none-optional",
                                     "a stream that is not supported is refused, not ignored",
                                     unsupported_values_are_refused_rather_than_ignored));
  add_for_both(
      suite, producer_check("stream.omitted-means-none",
                            "leaving the stream out orders what None orders", omitted_means_none));
  add_for_cuda(suite, producer_check("stream.cuda.none-legacy-default",
                                     "None orders against the legacy default stream",
                                     none_is_the_legacy_stream_on_cuda));
  add_for_cuda(
      suite, producer_check("stream.cuda.one-legacy", "1 orders against the legacy default stream",
                            one_is_the_legacy_stream));
  add_for_cuda(suite, producer_check("stream.cuda.two-per-thread",
                                     "2 orders against the caller's per-thread default stream",
                                     two_is_the_per_thread_stream));
  add_for_cuda(suite, producer_check("stream.cuda.zero-rejected",
                                     "0 is refused, and never a stream of its own",
                                     zero_is_refused_or_the_legacy_stream));
  add_for_cuda(suite, producer_check("stream.cuda.handle",
                                     "a value above 2 orders against the stream of that handle",
                                     large_values_are_native_handles));
  add_for_rocm(suite, producer_check("stream.rocm.none-legacy-default",
                                     "None orders against the default stream",
                                     none_is_the_default_stream_on_rocm));
  add_for_rocm(suite,
               producer_check("stream.rocm.zero-default", "0 orders against the default stream",
                              zero_is_the_default_stream_on_rocm));
  add_for_rocm(suite, producer_check("stream.rocm.handle",
                                     "a value above 2 orders against the stream of that handle",
                                     large_values_are_native_handles));
}

}  // namespace dlcert::stream
