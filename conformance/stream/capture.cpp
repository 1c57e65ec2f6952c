// SPDX-License-Identifier: Apache-2.0
//
// Exchanges and releases while a graph is captured.

#include "stream/families.hpp"
#include "testbench/device_session.hpp"
#include "testbench/platforms.hpp"
#include "testbench/stream_capture.hpp"
#include "testbench/stream_export.hpp"
#include "testbench/stream_import.hpp"

namespace dlcert::stream {
namespace {

using driver::CaptureMode;
using testbench::add_for_both;
using testbench::consumer_check;
using testbench::DeviceSession;
using testbench::draw_capturable_stream;
using testbench::number_of;
using testbench::producer_check;
using testbench::Range;
using testbench::request_on;
using testbench::StreamCapture;
using testbench::StreamExport;
using testbench::StreamHandle;
using testbench::StreamImport;

bool is_judged(const Case& c) {
  return c.settings.policy("stream-graph-capture") == "preserve";
}

// ---- exports ----

// What an export adds to the graph is what a replay runs, so the data after it tells.
void capture_survives_an_export(Case& c) {
  DeviceSession session{c};
  const StreamHandle stream = draw_capturable_stream(c, session, session.draw_device());
  StreamExport transfer{c, session, stream};
  const Range seen =
      session.allocate(driver::MemoryKind::device, stream.device, transfer.range().size);
  StreamCapture capture{c, session, stream};
  const bool own = c.draw.flip();
  transfer.run_captured(request_on(c.draw, integer(own ? number_of(session, stream) : -1)));
  if (!is_judged(c)) return c.observe(capture.intact() ? "intact" : "broken");
  expect(capture.intact(), "a capture during an export: expected it to go on but it was broken");
  transfer.require_accepted();
  session.copy_later(stream, transfer.range(), seen);
  capture.replay();
  expect_equal("bytes that a replay reads", StreamExport::marked(seen.size),
               session.read_on(stream, seen));
}

void default_stream_during_a_capture_is_recorded(Case& c) {
  DeviceSession session{c};
  const StreamHandle stream = draw_capturable_stream(c, session, session.draw_device());
  StreamExport transfer{c, session, stream};
  const StreamCapture capture{c, session, stream};
  transfer.run_idle(request_on(c.draw, none()));
  c.observe(transfer.accepted() ? "exported" : "refused");
  c.observe(capture.intact() ? "intact" : "broken");
}

// ---- imports ----

void capture_survives_an_import(Case& c) {
  DeviceSession session{c};
  const int device = session.draw_device();
  const StreamHandle stream = draw_capturable_stream(c, session, device);
  StreamImport transfer{c, session, device};
  transfer.order_nothing();
  bool intact = false;
  {
    const StreamCapture capture{c, session, stream};
    transfer.import_on(stream, [&] { intact = capture.intact(); });
  }
  if (!is_judged(c)) return c.observe(intact ? "intact" : "broken");
  expect(intact, "a capture during an import: expected it to go on but it was broken");
  if (!transfer.accepted()) throw NotClaimed{"an import of device memory"};
}

// ---- releases ----

void judge_release(Case& c, bool intact) {
  c.observe(intact ? "intact" : "broken");
  expect(intact || c.settings.policy("deleter-during-capture") == "record",
         "policy deleter-during-capture=survive: expected the capture to go on but it was broken");
}

void capture_and_a_release_by_the_consumer(Case& c) {
  DeviceSession session{c};
  const int device = session.draw_device();
  StreamExport transfer{c, session, session.draw_stream(device)};
  transfer.run_idle(request_on(c.draw, integer(-1)));
  if (!transfer.accepted()) throw NotClaimed{"stream -1"};
  const StreamCapture capture{session, session.stream(device, StreamHandle::Kind::non_blocking),
                              CaptureMode::global};
  transfer.release();
  transfer.tensor().release();
  judge_release(c, capture.intact());
}

void capture_and_a_release_of_an_import(Case& c) {
  DeviceSession session{c};
  const int device = session.draw_device();
  StreamImport transfer{c, session, device};
  transfer.import_on(session.stream(device, StreamHandle::Kind::non_blocking), [] {});
  if (!transfer.accepted()) throw NotClaimed{"an import of device memory"};
  const StreamCapture capture{session, session.stream(device, StreamHandle::Kind::non_blocking),
                              CaptureMode::global};
  transfer.release();
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
