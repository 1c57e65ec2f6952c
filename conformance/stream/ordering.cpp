// SPDX-License-Identifier: Apache-2.0
//
// A producer's pending work comes before what the consumer does next on the stream that it named.

#include <dlcert/suite/trace.hpp>

#include "generators/device_specs.hpp"
#include "generators/specs.hpp"
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/errors.hpp"
#include "testbench/stream_export.hpp"

namespace dlcert::stream {

DLCERT_FAMILY(ordering)

namespace {

using testbench::DeviceSession;
using testbench::number_of;
using testbench::producing;
using testbench::request_on;
using testbench::require_number;
using testbench::StreamExport;
using testbench::StreamHandle;
using testbench::to_host;

// Exports behind pending work with `value`, which names `consumer`. Whether the producer accepted.
bool accepts_in_order(Case& c, StreamExport& transfer, std::int64_t value,
                      const StreamHandle& consumer) {
  transfer.run(request_on(c.draw, integer(value)));
  c.observe(transfer.accepted() ? "accepted" : "refused");
  if (!transfer.accepted()) return false;
  transfer.tell_touched(consumer);
  transfer.expect_ordered(consumer);
  return true;
}

void hand_over(Case& c, StreamExport& transfer, const StreamHandle& consumer, std::int64_t value) {
  if (!accepts_in_order(c, transfer, value, consumer)) transfer.require_accepted();
}

// A stream was refused, as it may be: that tells something of a producer that exports at all.
void touched_if_exported(Case& c, StreamExport& transfer) {
  testbench::touched_if(c, transfer.run_idle(request_on(c.draw, none())).ok(),
                        "an export without a stream is refused too");
}

// ---- every stream that the standard can name ----

DLCERT_CHECK(pending_work_precedes_the_consumers,
             if_touched(on_both_vendors(producer_check(
                 "stream.producer-orders", "pending work precedes what the consumer enqueues next",
                 producing)))) {
  DeviceSession session{c};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  const StreamHandle consumer = session.draw_consumer_stream(transfer.stream());
  hand_over(c, transfer, consumer, number_of(session, consumer));
}

DLCERT_CHECK(same_stream_needs_nothing_more,
             if_touched(on_both_vendors(producer_check(
                 "stream.producer-orders", "a tensor handed over on its own stream is in order",
                 producing)))) {
  DeviceSession session{c};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  const StreamHandle stream = transfer.stream();
  require_number(session, stream);
  hand_over(c, transfer, stream, number_of(session, stream));
}

// Work on a stream that is not current any more, at an export to the host.
void other_work_is_complete_for_the_host(Case& c, StreamExport& transfer, bool judged) {
  transfer.run_idle(to_host(request_on(c.draw, none())));
  if (!transfer.accepted()) throw Declined{"an export to the host is refused"};
  transfer.tell_touched();
  if (judged) return transfer.expect_complete();
  c.observe(transfer.is_complete_for_host() ? "complete for the host" : "not complete");
}

// A second stream of the producer, which was current when the tensor was written, but no more.
DLCERT_CHECK(work_on_other_streams_follows_the_policy,
             if_touched(on_both_vendors(producer_check(
                 "stream.producer-orders",
                 "work on other streams of the producer follows the policy", producing)))) {
  DeviceSession session{c};
  const int device = session.draw_device();
  const StreamHandle left = session.stream(device, StreamHandle::Kind::non_blocking);
  StreamExport transfer{c, session, session.stream(device, StreamHandle::Kind::non_blocking)};
  transfer.write_on(left);
  const bool judged = c.settings.policy("producer-other-streams") == "all";
  if (c.draw.rarely(4)) return other_work_is_complete_for_the_host(c, transfer, judged);
  // What ends with pending work leaves its handle to the next one.
  if (session.recurs() && session.made(left.native) && c.draw.flip()) session.destroy(left);
  const StreamHandle consumer = session.stream(device, StreamHandle::Kind::non_blocking);
  transfer.run_idle(request_on(c.draw, integer(number_of(session, consumer))));
  transfer.require_accepted();
  transfer.tell_touched(consumer);
  if (judged) return transfer.expect_ordered(consumer);
  transfer.observe_order(consumer);
}

// ---- values with a meaning of their own ----

// What an omitted or a None stream must do, by a policy.
void default_stream_follows(Case& c, std::string_view policy, const dlcert_value& value) {
  DeviceSession session{c};
  constexpr std::array waited_for{StreamHandle::Kind::per_thread, StreamHandle::Kind::blocking};
  const StreamHandle::Kind kind =
      c.draw.rarely(4) ? c.draw.one_of(waited_for) : StreamHandle::Kind::non_blocking;
  const StreamHandle stream = session.stream(session.draw_device(), kind);
  StreamExport transfer{c, session, stream};
  transfer.run(request_on(c.draw, value));
  expect_acceptance(transfer.accepted(), "export with stream={}: expected success but found {}",
                    to_text(value), transfer.accepted() ? "" : to_text(transfer.error()));
  if (policy == "no-synchronization") {
    transfer.tell_touched();
    return transfer.expect_nothing_ordered();
  }
  const StreamHandle consumer = session.stream(stream.device, StreamHandle::Kind::legacy);
  transfer.tell_touched(consumer);
  transfer.expect_ordered(consumer);
}

DLCERT_CHECK(none_is_the_legacy_stream_on_cuda,
             if_touched(on_cuda(producer_check("stream.cuda.none-legacy-default",
                                               "None orders against the legacy default stream",
                                               producing)))) {
  default_stream_follows(c, c.settings.policy("stream-none-cuda"), none());
}

DLCERT_CHECK(none_is_the_default_stream_on_rocm,
             if_touched(on_rocm(producer_check("stream.rocm.none-legacy-default",
                                               "None orders against the default stream",
                                               producing)))) {
  default_stream_follows(c, c.settings.policy("stream-none-rocm"), none());
}

bool keeps(Case& c, std::string_view policy, const dlcert_value& value) {
  const TracePause pause;  // the trace has the case alone
  try {
    default_stream_follows(c, policy, value);
  } catch (const Failure&) {
    return false;
  }
  return true;
}

// A producer that also orders nothing for None breaks the rule of None. It keeps this one.
void omitted_follows_none(Case& c, std::string_view policy, std::string_view rule_of_none) {
  try {
    default_stream_follows(c, policy, absent());
  } catch (Failure& failure) {
    if (keeps(c, policy, none()))
      failure.owners.clear();
    else
      failure.owners.emplace(failure.owners.begin(), rule_of_none);
    throw;
  }
}

DLCERT_CHECK(omitted_means_none,
             if_touched(on_both_vendors(
                 producer_check("stream.omitted-means-none",
                                "leaving the stream out orders what None orders", producing)))) {
  const bool rocm = driver::driver().vendor() == driver::Vendor::rocm;
  const bool as_none = c.settings.policy("stream-omitted") == "as-none";
  if (!as_none) return default_stream_follows(c, "no-synchronization", absent());
  omitted_follows_none(
      c, c.settings.policy(rocm ? "stream-none-rocm" : "stream-none-cuda"),
      rocm ? "stream.rocm.none-legacy-default" : "stream.cuda.none-legacy-default");
}

// A tensor on a stream that no default stream waits for.
StreamExport make_unwaited(Case& c, DeviceSession& session) {
  return {c, session, session.stream(session.draw_device(), StreamHandle::Kind::non_blocking)};
}

// Returns whether the producer accepts `value`, from a stream that no default stream waits for.
bool accepts_default_in_order(Case& c, std::int64_t value, StreamHandle::Kind consumer) {
  DeviceSession session{c};
  StreamExport transfer = make_unwaited(c, session);
  return accepts_in_order(c, transfer, value, session.stream(transfer.stream().device, consumer));
}

void require_default_in_order(Case& c, std::int64_t value, StreamHandle::Kind consumer) {
  if (!accepts_default_in_order(c, value, consumer)) throw Declined{"this stream is refused"};
}

DLCERT_CHECK(one_is_the_legacy_stream,
             if_touched(on_cuda(producer_check("stream.cuda.one-legacy",
                                               "1 orders against the legacy default stream",
                                               producing)))) {
  require_default_in_order(c, 1, StreamHandle::Kind::legacy);
}

DLCERT_CHECK(two_is_the_per_thread_stream,
             if_touched(on_cuda(producer_check(
                 "stream.cuda.two-per-thread",
                 "2 orders against the caller's per-thread default stream", producing)))) {
  if (c.settings.policy("stream-two-cuda") == "optional")
    return require_default_in_order(c, 2, StreamHandle::Kind::per_thread);
  expect(accepts_default_in_order(c, 2, StreamHandle::Kind::per_thread),
         "policy stream-two-cuda=require: expected stream 2 to be accepted but it was refused");
}

// stream.cuda.zero-rejected judges whether the producer refuses 0. It names no stream, unless a
// policy says which.
DLCERT_CHECK(zero_loses_no_order,
             if_touched(on_cuda(with_device_tensors(producer_check(
                 "stream.producer-orders",
                 "if 0 is taken, it orders against the legacy default stream where the policy says "
                 "so",
                 producing))))) {
  if (c.settings.policy("stream-zero-cuda") == "legacy-default")
    return require_default_in_order(c, 0, StreamHandle::Kind::legacy);
  const DeviceSession session{c};
  const dlcert_device device = session.device(session.draw_device());
  require_claimed(c.producer, draw_device_spec(c.draw, c.producer, device));
  throw Declined{"0 names no stream on CUDA"};
}

DLCERT_CHECK(zero_is_the_default_stream_on_rocm,
             if_touched(on_rocm(producer_check(
                 "stream.rocm.zero-default", "0 orders against the default stream", producing)))) {
  require_default_in_order(c, 0, StreamHandle::Kind::legacy);
}

DLCERT_CHECK(
    large_values_are_native_handles,
    if_touched(on_cuda(producer_check("stream.cuda.handle",
                                      "a value above 2 orders against the stream of that handle",
                                      producing))),
    if_touched(on_rocm(producer_check("stream.rocm.handle",
                                      "a value above 2 orders against the stream of that handle",
                                      producing)))) {
  DeviceSession session{c};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  constexpr std::array kinds{StreamHandle::Kind::non_blocking, StreamHandle::Kind::blocking};
  const StreamHandle consumer = session.stream(transfer.stream().device, c.draw.one_of(kinds));
  hand_over(c, transfer, consumer, number_of(session, consumer));
}

// Support of values other than None is optional; accepting one without honouring it is not.
DLCERT_CHECK(unsupported_values_are_refused_rather_than_ignored,
             if_touched(on_both_vendors(producer_check(
                 "stream.non-none-optional",
                 "a stream that is not supported is refused, not ignored", producing)))) {
  DeviceSession session{c};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  const StreamHandle consumer = session.draw_consumer_stream(transfer.stream());
  if (!accepts_in_order(c, transfer, number_of(session, consumer), consumer))
    touched_if_exported(c, transfer);
}

}  // namespace
}  // namespace dlcert::stream
