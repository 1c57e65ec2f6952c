// SPDX-License-Identifier: Apache-2.0
//
// Exchanges and releases while a graph is captured.

#include <functional>

#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/stream_capture.hpp"
#include "testbench/stream_export.hpp"
#include "testbench/stream_import.hpp"

namespace dlcert::stream {

DLCERT_FAMILY(capture)

namespace {

using driver::CaptureMode;
using testbench::consuming;
using testbench::DeviceSession;
using testbench::draw_capturable_stream;
using testbench::number_of;
using testbench::producing;
using testbench::Range;
using testbench::request_on;
using testbench::require_number;
using testbench::StreamCapture;
using testbench::StreamExport;
using testbench::StreamHandle;
using testbench::StreamImport;

bool is_judged(const Case& c) {
  return c.settings.policy("stream-graph-capture") == "preserve";
}

// ---- exports ----

// What an export adds to the graph is what a replay runs, so the data after it tells.
DLCERT_CHECK(capture_survives_an_export,
             on_both_vendors(producer_check(
                 "stream.graph-capture.no-sync",
                 "a capture survives an export with -1 or its own stream", producing))) {
  DeviceSession session{c};
  const StreamHandle stream = draw_capturable_stream(c, session, session.draw_device());
  // What it has imported a library may use on another stream than the captured one.
  StreamExport transfer{c, session, stream, session.device(stream.device)};
  const Range seen =
      session.allocate(driver::MemoryKind::device, stream.device, transfer.range().size);
  StreamCapture capture{c, session, stream};
  const auto mode = session.capture_mode();
  const bool own = c.draw.flip();
  if (own) require_number(session, stream);
  transfer.run_captured(request_on(c.draw, integer(own ? number_of(session, stream) : -1)));
  if (!is_judged(c)) return c.observe(capture.intact() ? "intact" : "broken");
  expect(capture.intact(), "a capture during an export: expected it to go on but it was broken");
  c.minor([&] { session.expect_capture_mode(mode, "an export"); });
  transfer.require_accepted();
  session.copy_later(stream, transfer.range(), seen);
  capture.replay();
  expect_equal("bytes that a replay reads", StreamExport::marked(seen.size),
               session.read_on(stream, seen));
}

DLCERT_CHECK(default_stream_during_a_capture_is_recorded,
             on_both_vendors(producer_check(
                 "stream.graph-capture.no-sync",
                 "what an export with None does to a capture is recorded", producing))) {
  DeviceSession session{c};
  const StreamHandle stream = draw_capturable_stream(c, session, session.draw_device());
  StreamExport transfer{c, session, stream};
  const StreamCapture capture{c, session, stream};
  transfer.run_idle(request_on(c.draw, none()));
  c.observe(transfer.accepted() ? "exported" : "refused");
  c.observe(capture.intact() ? "intact" : "broken");
}

// ---- imports ----

DLCERT_CHECK(capture_survives_an_import,
             on_both_vendors(consumer_check("stream.graph-capture.no-sync",
                                            "a capture survives an import on its stream",
                                            consuming))) {
  DeviceSession session{c};
  const int device = session.draw_device();
  const StreamHandle stream = draw_capturable_stream(c, session, device);
  require_number(session, stream);
  StreamImport transfer{c, session, device};
  transfer.order_nothing();
  const auto mode = session.capture_mode();
  bool intact = false;
  {
    const StreamCapture capture{c, session, stream};
    transfer.import_on(stream, [&] { intact = capture.intact(); });
  }
  if (!is_judged(c)) return c.observe(intact ? "intact" : "broken");
  expect(intact, "a capture during an import: expected it to go on but it was broken");
  session.expect_capture_mode(mode, "an import");
  if (!transfer.accepted()) throw Declined{"an import of device memory is refused"};
}

// ---- releases ----

// Releases by `release` while a capture is under way.
void judge_release(Case& c, DeviceSession& session, const StreamHandle& stream,
                   const std::function<void()>& release) {
  const StreamCapture capture{session, stream, CaptureMode::global};
  const auto mode = session.capture_mode();
  release();
  const bool intact = capture.intact();
  c.observe(intact ? "intact" : "broken");
  if (c.settings.policy("deleter-during-capture") == "record") return;
  expect(intact,
         "policy deleter-during-capture=survive: expected the capture to go on but it was broken");
  session.expect_capture_mode(mode, "a release");
}

DLCERT_CHECK(capture_and_a_release_by_the_consumer,
             on_both_vendors(producer_check("stream.graph-capture.deleter",
                                            "what a deleter does to a capture follows the policy",
                                            producing))) {
  DeviceSession session{c};
  const int device = session.draw_device();
  StreamExport transfer{c, session, session.draw_stream(device)};
  transfer.run_idle(request_on(c.draw, integer(-1)));
  transfer.require_accepted();
  judge_release(c, session, session.stream(device, StreamHandle::Kind::non_blocking), [&] {
    transfer.release();
    transfer.tensor().release();
  });
}

DLCERT_CHECK(capture_and_a_release_of_an_import,
             on_both_vendors(consumer_check(
                 "stream.graph-capture.deleter",
                 "what releasing an import does to a capture follows the policy", consuming))) {
  DeviceSession session{c};
  const int device = session.draw_device();
  StreamImport transfer{c, session, device};
  transfer.import_on(session.stream(device, StreamHandle::Kind::non_blocking), [] {});
  if (!transfer.accepted()) throw Declined{"an import of device memory is refused"};
  judge_release(c, session, session.stream(device, StreamHandle::Kind::non_blocking),
                [&] { transfer.release(); });
}

}  // namespace
}  // namespace dlcert::stream
