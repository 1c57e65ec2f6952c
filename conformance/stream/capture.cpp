// SPDX-License-Identifier: Apache-2.0
//
// Exchanges and releases while a graph is captured.

#include "generators/delivery.hpp"
#include "generators/handover.hpp"
#include "stream/families.hpp"

namespace dlcert::stream {
namespace {

using driver::CaptureMode;
using driver::CaptureStatus;
using driver::Status;

// A capture of one stream, which ends with this.
class Capture {
 public:
  Capture(Case& c, Stage& stage, const Queue& queue) : stage_{stage}, queue_{queue} {
    constexpr std::array modes{CaptureMode::global, CaptureMode::thread_local_only,
                               CaptureMode::relaxed};
    start(c.draw.one_of(modes));
  }
  Capture(Stage& stage, const Queue& queue, CaptureMode mode) : stage_{stage}, queue_{queue} {
    start(mode);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    if (!under_way_) return;
    driver::Graph graph{};
    if (stage_.driver().end_capture(queue_.native, graph) == Status::success)
      static_cast<void>(stage_.driver().destroy_graph(graph));
    static_cast<void>(stage_.driver().take_error());
  }

  bool intact() const {
    CaptureStatus status{};
    return stage_.driver().capture_status(queue_.native, status) == Status::success &&
           status == CaptureStatus::active;
  }

  // Ends it and runs what was captured once. Fails unless that works.
  void replay() {
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

 private:
  void start(CaptureMode mode) {
    tell("a capture begins");
    expect_done(stage_.driver(), stage_.driver().begin_capture(queue_.native, mode),
                "begin_capture");
  }

  Stage& stage_;
  Queue queue_;
  bool under_way_ = true;
};

Queue draw_captured_queue(Case& c, Stage& stage, int device) {
  constexpr std::array kinds{Kind::non_blocking, Kind::blocking};
  return stage.queue(device, c.draw.one_of(kinds));
}

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
  handover.run(request_on(c.draw, integer(own ? number_of(stage, queue) : -1)));
  if (!handover.accepted()) return c.observe("refused");
  if (!is_judged(c)) return c.observe(capture.intact() ? "intact" : "broken");
  expect(capture.intact(), "a capture during an export: expected it to go on but it was broken");
  stage.copy_later(queue, handover.range(), seen);
  capture.replay();
  expect_equal("bytes that a replay reads", handover.expected(), stage.read_on(queue, seen));
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
  if (!delivery.accepted()) return c.observe("refused");
  if (!is_judged(c)) return c.observe(intact ? "intact" : "broken");
  expect(intact, "a capture during an import: expected it to go on but it was broken");
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
  if (!delivery.accepted()) return c.observe("refused");
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
