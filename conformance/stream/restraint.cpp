// SPDX-License-Identifier: Apache-2.0
//
// What an export must not do: block the host, order what needs no order, or keep the consumer's
// stream.

#include <algorithm>

#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/stream_export.hpp"

namespace dlcert::stream {

DLCERT_FAMILY(restraint)

namespace {

using testbench::DeviceSession;
using testbench::event_call;
using testbench::number_of;
using testbench::producing;
using testbench::request_on;
using testbench::require_number;
using testbench::StreamExport;
using testbench::StreamHandle;

DLCERT_CHECK(export_does_not_block_the_host,
             on_both_vendors(producer_check("stream.async-preferred",
                                            "an export to a stream does not block the host",
                                            producing))) {
  DeviceSession session{c};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  const StreamHandle consumer = session.draw_consumer_stream(transfer.stream());
  transfer.run(request_on(c.draw, integer(number_of(session, consumer))));
  transfer.require_accepted();
  transfer.expect_host_not_blocked();
}

DLCERT_CHECK(one_stream_needs_no_event,
             on_both_vendors(producer_check("stream.async-preferred",
                                            "an export to the producer's own stream orders nothing",
                                            producing))) {
  DeviceSession session{c};
  if (!session.records_calls()) throw NotClaimed{"a driver that records calls"};
  const StreamHandle drawn = session.draw_stream(session.draw_device());
  // What it has imported a library may use on another stream than the current one.
  StreamExport transfer{c, session, drawn, session.device(drawn.device)};
  const StreamHandle stream = transfer.stream();
  require_number(session, stream);
  transfer.run(request_on(c.draw, integer(number_of(session, stream))));
  transfer.require_accepted();
  const std::string_view call = event_call(transfer.calls());
  expect(call.empty(), "export to the producer's own stream: expected no call but found {}", call);
}

DLCERT_CHECK(minus_one_orders_nothing,
             on_both_vendors(producer_check("stream.minus-one-no-sync",
                                            "an export with -1 orders and waits for nothing",
                                            producing))) {
  DeviceSession session{c};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  transfer.run(request_on(c.draw, integer(-1)));
  transfer.require_accepted();
  transfer.expect_nothing_ordered();
}

// ---- the stream is the consumer's ----

StreamHandle draw_own_stream(Case& c, DeviceSession& session, int device) {
  constexpr std::array kinds{StreamHandle::Kind::non_blocking, StreamHandle::Kind::blocking};
  return session.stream(device, c.draw.one_of(kinds));
}

bool uses(const driver::Call& call, const StreamHandle& stream) {
  return call.stream == stream.native;
}

DLCERT_CHECK(stream_outlives_the_export,
             on_both_vendors(producer_check(
                 "stream.ownership-consumer",
                 "the consumer's stream outlives the export and its release", producing))) {
  DeviceSession session{c};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  const StreamHandle consumer = draw_own_stream(c, session, transfer.stream().device);
  transfer.run(request_on(c.draw, integer(number_of(session, consumer))));
  transfer.require_accepted();
  std::vector<driver::Call> calls = transfer.calls();
  // No work may be left on the tensor: its memory may be the next that the stream is tried with.
  session.open();
  session.synchronize(transfer.stream());
  const auto released = session.calls_of([&] {
    transfer.release();
    transfer.tensor().release();
  });
  calls.insert(calls.end(), released.begin(), released.end());
  const bool destroyed = std::ranges::any_of(calls, [&](const driver::Call& call) {
    return call.function == "destroy_stream" && uses(call, consumer);
  });
  expect(!destroyed, "the consumer's stream: expected it to live but the producer destroyed it");
  session.expect_usable(consumer);
}

DLCERT_CHECK(stream_is_forgotten_after_the_export,
             on_both_vendors(producer_check("stream.not-retained",
                                            "the consumer's stream is not used after the export",
                                            producing))) {
  DeviceSession session{c};
  if (!session.records_calls()) throw NotClaimed{"a driver that records calls"};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  const StreamHandle consumer = draw_own_stream(c, session, transfer.stream().device);
  transfer.run(request_on(c.draw, integer(number_of(session, consumer))));
  transfer.require_accepted();
  session.read_on(consumer, transfer.range());
  session.destroy(consumer);
  const auto calls = session.calls_of([&] {
    transfer.release();
    transfer.tensor().release();
  });
  const auto late =
      std::ranges::find_if(calls, [&](const driver::Call& call) { return uses(call, consumer); });
  expect(late == calls.end(), "calls on the consumer's dead stream: expected none but found {}",
         late == calls.end() ? "" : late->function);
}

}  // namespace
}  // namespace dlcert::stream
