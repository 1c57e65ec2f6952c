// SPDX-License-Identifier: Apache-2.0
#include "testbench/capture.hpp"

#include <array>

namespace dlcert::stream {

using driver::CaptureMode;
using driver::CaptureStatus;
using driver::Status;

Capture::Capture(Case& c, Stage& stage, const Queue& queue) : stage_{stage}, queue_{queue} {
  constexpr std::array modes{CaptureMode::global, CaptureMode::thread_local_only,
                             CaptureMode::relaxed};
  start(c.draw.one_of(modes));
}

Capture::Capture(Stage& stage, const Queue& queue, CaptureMode mode)
    : stage_{stage}, queue_{queue} {
  start(mode);
}

Capture::~Capture() {
  if (!under_way_) return;
  driver::Graph graph{};
  if (stage_.driver().end_capture(queue_.native, graph) == Status::success)
    static_cast<void>(stage_.driver().destroy_graph(graph));
  static_cast<void>(stage_.driver().take_error());
}

bool Capture::intact() const {
  CaptureStatus status{};
  return stage_.driver().capture_status(queue_.native, status) == Status::success &&
         status == CaptureStatus::active;
}

void Capture::replay() {
  driver::Driver& driver = stage_.driver();
  under_way_ = false;
  driver::Graph graph{};
  const Status ended = driver.end_capture(queue_.native, graph);
  expect(ended == Status::success, "end of the capture: expected success but found {}",
         driver::status_name(driver.vendor(), ended));
  driver::GraphExec executable{};
  expect_done(driver, driver.instantiate(graph, executable), "instantiate");
  expect_done(driver, driver.launch_graph(executable, queue_.native), "launch_graph");
  expect_done(driver, driver.synchronize_stream(queue_.native), "synchronize_stream");
  expect_done(driver, driver.destroy_graph_exec(executable), "destroy_graph_exec");
  expect_done(driver, driver.destroy_graph(graph), "destroy_graph");
}

void Capture::start(CaptureMode mode) {
  tell("a capture begins");
  expect_done(stage_.driver(), stage_.driver().begin_capture(queue_.native, mode), "begin_capture");
}

Queue draw_captured_queue(Case& c, Stage& stage, int device) {
  constexpr std::array kinds{Kind::non_blocking, Kind::blocking};
  return stage.queue(device, c.draw.one_of(kinds));
}

}  // namespace dlcert::stream
