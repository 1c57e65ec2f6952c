// SPDX-License-Identifier: Apache-2.0
//
// Exports while a stream is being captured. Source: CUDA Runtime API, "Graph Management"; an export
// may neither wait on the host nor let work inside the capture wait for work outside.

#include <gtest/gtest.h>

#include "device_fixture.hpp"

namespace dlcert::reference {
namespace {

class StreamCaptureTest : public OnDevices {
 protected:
  void begin(driver::CaptureMode mode = driver::CaptureMode::global) {
    ok(driver_.synchronize_device());
    ok(driver_.begin_capture(capturing_, mode));
  }
  driver::CaptureStatus status() {
    driver::CaptureStatus found{};
    ok(driver_.capture_status(capturing_, found));
    return found;
  }
  void end() {
    EXPECT_EQ(status(), driver::CaptureStatus::active);
    ASSERT_EQ(driver_.end_capture(capturing_, graph_), Status::success);
  }
  void replay() {
    driver::GraphExec executable{};
    ok(driver_.instantiate(graph_, executable));
    ok(driver_.launch_graph(executable, capturing_));
  }
  /// The consumer's work.
  void copy(Stream on, const Held& from, const Tensor& to) {
    ok(driver_.copy_async(to.first_element(), from.first_element(), size,
                          driver::CopyDirection::device_to_device, on));
  }

  Stream capturing_ = stream();
  StreamGuard guard_{0, capturing_};
  driver::Graph graph_{};
};
DLCERT_ON_BOTH_VENDORS(StreamCaptureTest);

TEST_P(StreamCaptureTest, AnExportForTheCapturingStreamIsReplayed) {
  const Tensor source = Tensor::zeros(uint8(), {size}, device());
  const Tensor result = Tensor::zeros(uint8(), {size}, device());
  for (const Argument& argument : {Argument{std::int64_t{-1}}, number(capturing_)}) {
    SCOPED_TRACE(to_string(argument));
    fill(capturing_, result, 0);
    begin();
    fill(capturing_, source, 7);
    const Held held(exporter.managed(source, {.stream = argument}));
    copy(capturing_, held, result);
    end();
    EXPECT_EQ(logical(result), all(0)) << "nothing has run";
    replay();
    EXPECT_EQ(logical(result), all(7));
    fill(capturing_, source, 0);
  }
}

TEST_P(StreamCaptureTest, AnExportForAnotherStreamTakesItIntoTheCapture) {
  const Stream consumer = stream();
  const Tensor source = Tensor::zeros(uint8(), {size}, device());
  const Tensor result = Tensor::zeros(uint8(), {size}, device());
  begin();
  fill(capturing_, source, 7);
  const Held held(exporter.managed(source, {.stream = number(consumer)}));
  copy(consumer, held, result);
  make_wait(0, consumer, capturing_);
  end();
  replay();
  EXPECT_EQ(logical(result), all(7));
}

TEST_P(StreamCaptureTest, ACopyThatIsCapturedIsReplayed) {
  const Tensor source = Tensor::zeros(uint8(), {size}, device());
  const Tensor result = Tensor::zeros(uint8(), {size}, device());
  const Stream consumer = stream();
  for (const Argument& argument :
       {Argument{std::int64_t{-1}}, number(capturing_), number(consumer)}) {
    SCOPED_TRACE(to_string(argument));
    begin();
    fill(capturing_, source, 7);
    const Held held(exporter.managed(source, {.stream = argument, .copy = true}));
    const bool is_forked = argument == number(consumer);
    copy(is_forked ? consumer : capturing_, held, result);
    if (is_forked) make_wait(0, consumer, capturing_);
    end();
    fill(capturing_, result, 0);
    replay();
    EXPECT_EQ(logical(result), all(7));
  }
}

TEST_P(StreamCaptureTest, ACapturingConsumerCannotWaitForWorkOutside) {
  const Stream producer = stream();
  const Tensor source = [&] {
    const StreamGuard guard(0, producer);
    return Tensor::zeros(uint8(), {size}, device());
  }();
  begin();
  const StreamGuard guard(0, producer);
  EXPECT_EQ(code_of_error([&] { return exporter.managed(source, {.stream = number(capturing_)}); }),
            905);
  EXPECT_EQ(status(), driver::CaptureStatus::invalidated);
  EXPECT_EQ(source.storage().references(), 1);
}

TEST_P(StreamCaptureTest, MemoryThatACaptureUsedIsReleasedWithoutIt) {
  begin();
  {
    const Tensor source = Tensor::zeros(uint8(), {size}, device());
    const Tensor copied = source.copy();
  }
  end();
}

}  // namespace
}  // namespace dlcert::reference
