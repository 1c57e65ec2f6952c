// SPDX-License-Identifier: Apache-2.0
//
// The current stream of each device, and the blocks in which another one is current.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "registration.hpp"
#include "runtime/support.hpp"
#include "testbench/device_session.hpp"
#include "testbench/environment.hpp"
#include "testbench/threads.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(streams)

namespace {

using testbench::ArrangedEnvironment;
using testbench::Environment;
using testbench::on_new_thread;

using StreamOf = Outcome<dlcert_runtime_stream> (GpuRuntime::*)(const dlcert_value&) const;
constexpr std::array<StreamOf, 2> stream_questions{&GpuRuntime::current_stream_of,
                                                   &GpuRuntime::default_stream_of};

dlcert_runtime_stream current_stream(const GpuRuntime& runtime, const dlcert_value& device) {
  return require(runtime.current_stream_of(device), "current_stream_of");
}

dlcert_runtime_stream default_stream(const GpuRuntime& runtime, const dlcert_value& device) {
  return require(runtime.default_stream_of(device), "default_stream_of");
}

void set_stream(const GpuRuntime& runtime, const dlcert_runtime_stream& stream) {
  require(runtime.set_stream(&stream), "set_stream");
}

// The handle of a new stream that is not the library's.
std::uint64_t native_stream(int device) {
  const int former = device_of_driver();
  driver::Stream native{};
  set_device_of_driver(device);
  require_arranged(
      driver::simulated_driver().create_stream(driver::StreamKind::non_blocking, 0, native),
      "create_stream");
  set_device_of_driver(former);
  return static_cast<std::uintptr_t>(native);
}

// A stream of the library's own, or a foreign one that it has adopted.
dlcert_runtime_stream draw_side_stream(Case& c, const GpuRuntime& runtime, int device) {
  if (c.draw.flip()) return require(runtime.new_stream(integer(device)), "new_stream");
  return require(runtime.external_stream(native_stream(device), draw_name_of(c, device)),
                 "external_stream");
}

// The current stream of every device and the current device.
struct CurrentStreams {
  int device = 0;
  std::vector<dlcert_runtime_stream> streams = {};
};

CurrentStreams current_streams(const GpuRuntime& runtime) {
  CurrentStreams found{.device = device_of_driver()};
  for (int device = 0; device < device_count; ++device)
    found.streams.push_back(current_stream(runtime, integer(device)));
  return found;
}

void expect_current_streams(const GpuRuntime& runtime, const CurrentStreams& expected,
                            std::string_view when) {
  expect_current(runtime, expected.device, when);
  for (int device = 0; device < device_count; ++device)
    expect_stream(fmt::format("current stream of device {} {}", device, when),
                  expected.streams.at(static_cast<std::size_t>(device)),
                  current_stream(runtime, integer(device)));
}

// Side streams are current on some devices.
void set_some_streams(Case& c, const GpuRuntime& runtime) {
  use_all_devices(draw_device(c));
  for (int device = 0; device < device_count; ++device)
    if (c.draw.flip()) set_stream(runtime, draw_side_stream(c, runtime, device));
  if (c.draw.flip()) set_device_of_driver(draw_device(c));
}

// ---- current and default streams ----------------------------------------------------------------

DLCERT_CHECK(asking_for_a_stream_starts_the_runtime,
             on_both_vendors(in_fresh_process("runtime.current-and-default-stream",
                                              "asking for a stream starts the runtime",
                                              stream_questions.size()))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  require((runtime.*stream_questions.at(c.row))(none()), "current or default stream");
  expect_initialized(runtime, true, "after asking for a stream");
}

DLCERT_CHECK(stream_is_that_of_the_device,
             on_both_vendors(in_fresh_process("runtime.current-and-default-stream",
                                              "the stream of a device belongs to it"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  set_some_streams(c, runtime);
  const int device = draw_device(c);
  for (const StreamOf question : stream_questions) {
    const auto found = require((runtime.*question)(draw_name_of(c, device)), "stream of a device");
    expect_equal("device of its stream", std::int64_t{device}, found.device_index);
  }
}

DLCERT_CHECK(
    none_means_the_current_device,
    on_both_vendors(in_fresh_process("runtime.current-and-default-stream",
                                     "the stream for None is that of the current device"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  set_some_streams(c, runtime);
  const int device = draw_device(c);
  set_device_of_driver(device);
  for (const StreamOf question : stream_questions)
    expect_stream("stream for None", require((runtime.*question)(integer(device)), "its stream"),
                  require((runtime.*question)(none()), "the stream for None"));
}

DLCERT_CHECK(default_stream_stays,
             on_both_vendors(in_fresh_process(
                 "runtime.current-and-default-stream",
                 "the default stream is current at first, and stays the default"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = draw_device(c);
  const auto before = default_stream(runtime, integer(device));
  expect_stream("first current stream", before, current_stream(runtime, integer(device)));
  set_stream(runtime, draw_side_stream(c, runtime, device));
  expect_stream("default stream after set_stream", before,
                default_stream(runtime, draw_name_of(c, device)));
}

DLCERT_CHECK(each_thread_has_its_streams,
             on_both_vendors(in_fresh_process("runtime.current-and-default-stream",
                                              "each thread has its current streams"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = draw_device(c);
  const auto stream = draw_side_stream(c, runtime, device);
  set_stream(runtime, stream);
  on_new_thread([&] {
    expect_stream("current stream in a new thread", default_stream(runtime, integer(device)),
                  current_stream(runtime, integer(device)));
    set_stream(runtime, draw_side_stream(c, runtime, device));
  });
  expect_stream("current stream after set_stream in another thread", stream,
                current_stream(runtime, integer(device)));
}

DLCERT_CHECK(missing_device_has_no_stream,
             on_both_vendors(in_fresh_process("runtime.current-and-default-stream",
                                              "a device that does not exist has no stream"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  require(runtime.initialize(), "initialize");
  const std::int64_t device = device_count + c.draw.between(0, 5);
  for (const StreamOf question : stream_questions)
    expect_refusal(!(runtime.*question)(integer(device)).ok(),
                   "stream of device {} of {}: expected a refusal but one was given", device,
                   device_count);
}

DLCERT_CHECK(
    external_stream_keeps_its_handle,
    on_both_vendors(in_fresh_process("runtime.external-stream",
                                     "an external stream keeps its handle, zero included"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = draw_device(c);
  const std::uint64_t handle = c.draw.flip() ? native_stream(device) : 0;
  const auto adopted =
      require(runtime.external_stream(handle, draw_name_of(c, device)), "external_stream");
  expect_equal("handle of an external stream", handle, adopted.handle);
  expect_equal("device of an external stream", std::int64_t{device}, adopted.device_index);
}

// ---- set_stream ---------------------------------------------------------------------------------

DLCERT_CHECK(set_stream_makes_it_current,
             on_both_vendors(in_fresh_process(
                 "runtime.set-stream", "set_stream makes a stream and its device current"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  set_some_streams(c, runtime);
  CurrentStreams expected = current_streams(runtime);
  expected.device = draw_device(c);
  const auto stream = c.draw.rarely(4) ? default_stream(runtime, integer(expected.device))
                                       : draw_side_stream(c, runtime, expected.device);
  expected.streams.at(static_cast<std::size_t>(expected.device)) = stream;
  dlcert_runtime_stream named = stream;
  named.handle = 0;  // streams go by their three numbers
  set_stream(runtime, named);
  expect_current_streams(runtime, expected, "after set_stream");
}

// What becomes of such a stream is PyTorch's own: that it is refused is recorded.
DLCERT_CHECK(refused_stream_does_not_become_current,
             if_touched(on_both_vendors(in_fresh_process(
                 "runtime.set-stream",
                 "a stream of another device type that is refused does not become current")))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  set_some_streams(c, runtime);
  dlcert_runtime_stream foreign = draw_side_stream(c, runtime, draw_device(c));
  ++foreign.device_type;
  const CurrentStreams before = current_streams(runtime);
  if (runtime.set_stream(&foreign).ok())
    return c.declined("a stream of another device type is taken");
  c.touched();
  expect_current_streams(runtime, before, "after a refused set_stream");
}

// ---- stream guards ------------------------------------------------------------------------------

Guard guard_of(const GpuRuntime& runtime, const dlcert_runtime_stream* stream) {
  return require(runtime.stream_guard(stream), "stream_guard");
}

// What a guard puts back when it is left: the current stream of the device that was current, that
// of the stream's device, and the device. Other devices stay as the body leaves them.
void expect_restored(const GpuRuntime& runtime, const CurrentStreams& former,
                     std::int64_t entered) {
  CurrentStreams expected = current_streams(runtime);
  expected.device = former.device;
  for (const std::int64_t device : {entered, std::int64_t{former.device}}) {
    const auto index = static_cast<std::size_t>(device);
    expected.streams.at(index) = former.streams.at(index);
  }
  expect_current_streams(runtime, expected, "after the guard");
}

void run_nested_stream_guards(Case& c, const GpuRuntime& runtime, int depth) {
  const CurrentStreams former = current_streams(runtime);
  const auto stream = draw_side_stream(c, runtime, draw_device(c));
  const Guard guard = guard_of(runtime, &stream);
  within(runtime, guard, [&] {
    CurrentStreams expected = former;
    expected.device = static_cast<int>(stream.device_index);
    expected.streams.at(static_cast<std::size_t>(stream.device_index)) = stream;
    expect_current_streams(runtime, expected, "in the guard");
    if (c.draw.flip()) set_stream(runtime, draw_side_stream(c, runtime, draw_device(c)));
    if (c.draw.flip()) set_device_of_driver(draw_device(c));
    if (depth > 0 && c.draw.flip()) run_nested_stream_guards(c, runtime, depth - 1);
  });
  expect_restored(runtime, former, stream.device_index);
}

DLCERT_CHECK(stream_guards_nest,
             on_both_vendors(in_fresh_process(
                 "runtime.stream-guard",
                 "stream guards nest, whoever changes streams and devices in them"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  set_some_streams(c, runtime);
  run_nested_stream_guards(c, runtime, 2);
}

DLCERT_CHECK(error_leaves_a_stream_guard,
             on_both_vendors(in_fresh_process(
                 "runtime.stream-guard", "an error that leaves a stream guard restores all"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  set_some_streams(c, runtime);
  const CurrentStreams former = current_streams(runtime);
  const auto stream = draw_side_stream(c, runtime, draw_device(c));
  const Guard guard = guard_of(runtime, &stream);
  const auto outcome = runtime.with_guard(guard, []() -> std::optional<Error> {
    return Error{DLCERT_ERROR_VALUE, 0, "ValueError", "raised in the guard"};
  });
  expect(!outcome.ok(), "an error in a guard: expected it to reach the caller but found success");
  expect_restored(runtime, former, stream.device_index);
}

DLCERT_CHECK(stream_guard_restores_what_was_current_at_its_entry,
             on_both_vendors(in_fresh_process(
                 "runtime.stream-guard",
                 "a stream guard restores what was current at its latest entry"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  use_all_devices(draw_device(c));
  const auto stream = draw_side_stream(c, runtime, draw_device(c));
  const Guard guard = guard_of(runtime, &stream);
  for (auto entries = c.draw.between(1, 3); entries > 0; --entries) {
    set_some_streams(c, runtime);
    const CurrentStreams former = current_streams(runtime);
    within(runtime, guard, [] {});
    expect_restored(runtime, former, stream.device_index);
  }
}

// ---- guards that do nothing ---------------------------------------------------------------------

DLCERT_CHECK(no_stream_changes_nothing,
             on_both_vendors(in_fresh_process("runtime.stream-guard-noop",
                                              "None as a stream changes nothing"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  set_some_streams(c, runtime);
  const CurrentStreams former = current_streams(runtime);
  require(runtime.set_stream(nullptr), "set_stream of None");
  expect_current_streams(runtime, former, "after set_stream of None");
  within(runtime, guard_of(runtime, nullptr),
         [&] { expect_current_streams(runtime, former, "in a guard of None"); });
  expect_current_streams(runtime, former, "after a guard of None");
}

// A build without GPUs, and a machine without them.
Environment without_gpu(std::size_t row) {
  if (row == 0) return {.devices = device_count, .build = Build{.gpu = false}};
  return {.devices = 0, .start_error = driver::Status::no_device};
}

constexpr std::size_t rows_without_gpu = 2;

DLCERT_CHECK(stream_guard_without_gpu_does_nothing,
             on_both_vendors(in_fresh_process("runtime.stream-guard-noop",
                                              "a stream guard does nothing without a GPU",
                                              rows_without_gpu))) {
  const ArrangedEnvironment arranged{c, without_gpu(c.row)};
  const GpuRuntime runtime{c.subject()};
  within(runtime, guard_of(runtime, nullptr), [] {});
  require(runtime.set_stream(nullptr), "set_stream of None");
  expect(driver::simulated_driver().devices_in_use().empty(),
         "a guard without a GPU: expected no context but found one");
}

// GPUs that were there when the stream was made, and are not visible any more.
DLCERT_CHECK(stream_guard_of_a_stream_without_gpu_does_nothing,
             if_touched(on_both_vendors(in_fresh_process(
                 "runtime.stream-guard-noop",
                 "a guard of a stream does nothing where no GPU is available any more", 1)))) {
  const ArrangedEnvironment arranged{c, {.variables = {{"PYTORCH_NVML_BASED_CUDA_CHECK", "1"}}}};
  const GpuRuntime runtime{c.subject()};
  const dlcert_runtime_stream stream = require(runtime.new_stream(integer(0)), "new_stream");
  const dlcert_runtime_stream former = current_stream(runtime, integer(0));
  testbench::set_variable(testbench::visible_variable(), "");
  const bool gone = !require(GpuDevices{c.subject()}.is_available(), "is_available");
  testbench::touched_if(c, gone, "a GPU stays available");
  if (!gone) return;
  within(runtime, guard_of(runtime, &stream), [&] {
    expect_stream("current stream in a guard without a GPU", former,
                  current_stream(runtime, integer(0)));
  });
}

}  // namespace
}  // namespace dlcert::runtime
