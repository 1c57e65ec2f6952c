// SPDX-License-Identifier: Apache-2.0
//
// Work of a device as a whole: who waits for it, who puts some there, and what goes with it.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "registration.hpp"
#include "runtime/support.hpp"
#include "testbench/device_session.hpp"
#include "testbench/environment.hpp"
#include "testbench/errors.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(waiting)

namespace {

using testbench::ArrangedEnvironment;
using testbench::expect_kind;

// ---- synchronize --------------------------------------------------------------------------------

// A write that is pending until somebody waits for its stream.
struct PendingWrite {
  const void* memory = nullptr;
  std::string_view stream;

  bool has_run() const { return *driver::simulated_driver().view(memory) == std::byte{0x5A}; }
};

driver::Stream make_stream(driver::StreamKind kind) {
  driver::Stream made{};
  require_arranged(driver::simulated_driver().create_stream(kind, 0, made), "create_stream");
  return made;
}

PendingWrite write_on(driver::Stream stream, std::string_view name) {
  driver::SimulatedDriver& simulated = driver::simulated_driver();
  void* memory = nullptr;
  require_arranged(simulated.allocate(driver::MemoryKind::device, 1, memory), "allocate");
  require_arranged(simulated.fill_async(memory, 0x5A, 1, stream), "fill_async");
  return {memory, name};
}

// Pending writes on some streams of a device, at least one.
std::vector<PendingWrite> draw_pending_writes(Case& c, const GpuRuntime& runtime, int device) {
  const int former = device_of_driver();
  const auto own = require(runtime.new_stream(integer(device)), "new_stream");
  set_device_of_driver(device);
  const auto streams = c.draw.between(1, 15);
  std::vector<PendingWrite> writes;
  if ((streams & 1) != 0)
    writes.push_back(write_on(make_stream(driver::StreamKind::non_blocking), "non-blocking"));
  if ((streams & 2) != 0)
    writes.push_back(write_on(make_stream(driver::StreamKind::blocking), "blocking"));
  if ((streams & 4) != 0) writes.push_back(write_on(driver::Stream{own.handle}, "the library's"));
  if ((streams & 8) != 0) writes.push_back(write_on(driver::Stream::null, "default"));
  set_device_of_driver(former);
  return writes;
}

DLCERT_CHECK(synchronize_waits_for_all_streams,
             on_both_vendors(in_fresh_process(
                 "runtime.synchronize",
                 "synchronize waits for all streams and keeps the current device"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int current = draw_device(c);
  use_all_devices(current);
  driver::simulated_driver().set_schedule(driver::Schedule::late, 1);
  const int device = draw_device(c);
  const auto writes = draw_pending_writes(c, runtime, device);
  if (std::ranges::any_of(writes, &PendingWrite::has_run))
    throw Inconclusive{"work ran before anybody waited for it"};
  const bool unnamed = device == current && c.draw.flip();
  require(runtime.synchronize_device(unnamed ? none() : draw_name_of(c, device)), "synchronize");
  for (const PendingWrite& write : writes)
    expect(write.has_run(),
           "work on the {} stream of device {}: found it pending after synchronize", write.stream,
           device);
  expect_current(runtime, current, "after synchronize");
}

// ---- sleep --------------------------------------------------------------------------------------

bool gives_work(const driver::Call& call) {
  return call.function.starts_with("launch") || call.function.find("fill") != std::string::npos ||
         call.function.find("copy") != std::string::npos;
}

// Both handles name the default stream.
bool is_default(std::uint64_t handle) {
  return handle <= 1;
}

bool is_on(const driver::Call& call, const dlcert_runtime_stream& stream) {
  const auto handle = static_cast<std::uintptr_t>(call.stream);
  return call.device == stream.device_index &&
         (handle == stream.handle || (is_default(handle) && is_default(stream.handle)));
}

dlcert_runtime_stream draw_current_stream(Case& c, const GpuRuntime& runtime) {
  const int device = draw_device(c);
  const auto stream =
      c.draw.flip() ? require(runtime.new_stream(integer(device)), "new_stream")
                    : require(runtime.default_stream_of(integer(device)), "default_stream_of");
  require(runtime.set_stream(&stream), "set_stream");
  return stream;
}

DLCERT_CHECK(sleep_occupies_the_current_stream,
             on_both_vendors(in_fresh_process(
                 "runtime.sleep", "sleep gives the current stream work and does not wait"))) {
  ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  driver::simulated_driver().set_schedule(driver::Schedule::late, 1);
  const auto stream = draw_current_stream(c, runtime);
  arranged.runtime_calls();
  require(runtime.sleep(c.draw.between(1, 1 << 20)), "sleep");
  const auto calls = arranged.runtime_calls();
  const bool occupied = std::ranges::any_of(
      calls, [&](const driver::Call& call) { return gives_work(call) && is_on(call, stream); });
  owned_by("runtime.set-stream", [&] {
    expect(occupied, "sleep: expected work on the current {} but found none", to_text(stream));
  });
  const auto waited = std::ranges::find(calls, true, &driver::Call::waited);
  expect(waited == calls.end(), "sleep: expected the host not to wait but found it waiting in {}",
         waited == calls.end() ? "" : waited->function);
}

// ---- handles and modes --------------------------------------------------------------------------

DLCERT_CHECK(
    blas_handle_is_a_number_other_than_zero,
    on_both_vendors(in_fresh_process("runtime.blas-handle",
                                     "the BLAS handle starts the runtime and stays the same", 1))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const auto handle = require(runtime.blas_handle(), "blas_handle");
  expect_initialized(runtime, true, "after blas_handle");
  expect(handle != 0, "blas_handle: expected a handle but found 0");
  expect_equal("blas_handle once more", handle, require(runtime.blas_handle(), "blas_handle"));
}

DLCERT_CHECK(ipc_collect_starts_the_runtime,
             on_both_vendors(in_fresh_process("runtime.ipc-collect",
                                              "ipc_collect starts the runtime", 1))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  require(runtime.ipc_collect(), "ipc_collect");
  expect_initialized(runtime, true, "after ipc_collect");
}

struct Mode {
  dlcert_value value;
  std::int64_t number;
};

DLCERT_CHECK(mode_is_kept,
             on_both_vendors(in_fresh_process("runtime.sync-debug-mode",
                                              "a sync debug mode is kept, as a number"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const std::array modes{Mode{integer(0), 0},      Mode{integer(1), 1},   Mode{integer(2), 2},
                         Mode{text("default"), 0}, Mode{text("warn"), 1}, Mode{text("error"), 2}};
  for (auto changes = c.draw.between(1, 4); changes > 0; --changes) {
    const Mode& mode = c.draw.one_of(modes);
    require(runtime.set_sync_debug_mode(mode.value), "set_sync_debug_mode");
    expect_equal("sync_debug_mode", mode.number,
                 require(runtime.sync_debug_mode(), "sync_debug_mode"));
  }
}

DLCERT_CHECK(
    other_modes_are_refused,
    on_both_vendors(in_fresh_process("runtime.sync-debug-mode",
                                     "other sync debug modes are refused and change nothing"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const std::array refused{text("foo"), text(""),   text("Warn"),    integer(-1),
                           integer(3),  integer(4), integer(1 << 20)};
  require(runtime.set_sync_debug_mode(integer(1)), "set_sync_debug_mode");
  const auto outcome = runtime.set_sync_debug_mode(c.draw.one_of(refused));
  expect_refusal(!outcome.ok(), "set_sync_debug_mode: expected a refusal but it was accepted");
  expect_kind(c.subject(), outcome.error(), DLCERT_ERROR_RUNTIME, "error");
  expect_equal("sync_debug_mode after a refusal", std::int64_t{1},
               require(runtime.sync_debug_mode(), "sync_debug_mode"));
}

DLCERT_CHECK(modes_start_the_runtime,
             on_both_vendors(in_fresh_process("runtime.sync-debug-mode",
                                              "setting and reading the mode start the runtime",
                                              2))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  if (c.row == 0)
    require(runtime.set_sync_debug_mode(text("warn")), "set_sync_debug_mode");
  else
    require(runtime.sync_debug_mode(), "sync_debug_mode");
  expect_initialized(runtime, true, "after the sync debug mode");
}

}  // namespace
}  // namespace dlcert::runtime
