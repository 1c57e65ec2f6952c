// SPDX-License-Identifier: Apache-2.0
#include "testbench/stream_capture.hpp"

#include <array>

namespace dlcert::testbench {

using driver::CaptureMode;
using driver::CaptureStatus;
using driver::Status;

StreamCapture::StreamCapture(Case& c, DeviceSession& session, const StreamHandle& stream)
    : session_{session}, stream_{stream} {
  constexpr std::array modes{CaptureMode::global, CaptureMode::thread_local_only,
                             CaptureMode::relaxed};
  start(c.draw.one_of(modes));
}

StreamCapture::StreamCapture(DeviceSession& session, const StreamHandle& stream, CaptureMode mode)
    : session_{session}, stream_{stream} {
  start(mode);
}

StreamCapture::~StreamCapture() {
  if (!under_way_) return;
  driver::Graph graph{};
  if (session_.driver().end_capture(stream_.native, graph) == Status::success)
    static_cast<void>(session_.driver().destroy_graph(graph));
  static_cast<void>(session_.driver().take_error());
}

bool StreamCapture::intact() const {
  CaptureStatus status{};
  return session_.driver().capture_status(stream_.native, status) == Status::success &&
         status == CaptureStatus::active;
}

void StreamCapture::replay() {
  driver::Driver& driver = session_.driver();
  under_way_ = false;
  driver::Graph graph{};
  const Status ended = driver.end_capture(stream_.native, graph);
  expect_acceptance(ended == Status::success, "end of the capture: expected success but found {}",
                    driver::status_name(driver.vendor(), ended));
  driver::GraphExec executable{};
  expect_done(driver, driver.instantiate(graph, executable), "instantiate");
  expect_done(driver, driver.launch_graph(executable, stream_.native), "launch_graph");
  expect_done(driver, driver.synchronize_stream(stream_.native), "synchronize_stream");
  expect_done(driver, driver.destroy_graph_exec(executable), "destroy_graph_exec");
  expect_done(driver, driver.destroy_graph(graph), "destroy_graph");
}

void StreamCapture::start(CaptureMode mode) {
  tell("a capture begins");
  expect_done(session_.driver(), session_.driver().begin_capture(stream_.native, mode),
              "begin_capture");
}

StreamHandle draw_capturable_stream(Case& c, DeviceSession& session, int device) {
  constexpr std::array kinds{StreamHandle::Kind::non_blocking, StreamHandle::Kind::blocking};
  const StreamHandle drawn = session.stream(device, c.draw.one_of(kinds));
  const StreamHandle stream = adopted(c.subject(), session, drawn);
  if (stream.kind == StreamHandle::Kind::legacy) throw NotClaimed{"a stream that can be captured"};
  return stream;
}

}  // namespace dlcert::testbench
