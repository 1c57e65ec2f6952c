// SPDX-License-Identifier: Apache-2.0
//
// What a forked child finds of its parent's runtime.
#include <algorithm>
#include <cctype>

#include <dlcert/suite/new_process.hpp>

#include "registration.hpp"
#include "runtime/calls.hpp"
#include "runtime/support.hpp"
#include "testbench/device_session.hpp"
#include "testbench/environment.hpp"
#include "testbench/errors.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(forks)

namespace {

using testbench::ArrangedEnvironment;
using testbench::ChildEnd;
using testbench::expect_kind;
using testbench::in_forked_child;

// Runs `body` in a child, which fails the case by what it throws or by its death.
void expect_in_child(const std::function<void()>& body) {
  const ChildEnd end = in_forked_child([&] {
    body();
    return std::string{};
  });
  expect(end.answered, "a forked child {}", end.death);
  expect(end.answer.empty(), "in a forked child: {}", end.answer);
}

void expect_bad_fork(const Party& library, const Error& error, std::string_view what) {
  expect_kind(library, error, DLCERT_ERROR_RUNTIME, what);
  if (library.declares(DLCERT_FAITHFUL_ERRORS))
    expect(error.message.find("spawn") != std::string::npos,
           "{}: the message \"{}\" does not advise to spawn", what, error.message);
}

// ---- after use ----------------------------------------------------------------------------------

DLCERT_CHECK(child_of_initialized_parent_is_refused,
             on_both_vendors(in_fresh_process("runtime.fork.bad-fork",
                                              "a child of an initialized process is refused", 1))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  require(runtime.initialize(), "initialize");
  expect_in_child([&] {
    const Error error = require_refused(runtime.initialize(), "initialize");
    expect_bad_fork(c.subject(), error, "initialize");
    expect_initialized(runtime, false, "after the refusal");
  });
  require(runtime.current_device_index(), "current_device_index in the parent after the fork");
}

DLCERT_CHECK(first_use_in_child_is_refused,
             on_both_vendors(in_fresh_process("runtime.fork.bad-fork",
                                              "a child's first use is refused as initialization is",
                                              1))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  require(runtime.current_device_index(), "current_device_index");
  expect_in_child([&] {
    const Error error = require_refused(runtime.current_device_index(), "current_device_index");
    expect_bad_fork(c.subject(), error, "current_device_index");
  });
}

DLCERT_CHECK(grandchild_is_refused,
             on_both_vendors(in_fresh_process("runtime.fork.bad-fork",
                                              "a grandchild is refused as well", 1))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  require(runtime.initialize(), "initialize");
  expect_in_child([&] {
    expect_in_child([&] {
      expect_bad_fork(c.subject(), require_refused(runtime.initialize(), "initialize"),
                      "initialize");
    });
  });
}

DLCERT_CHECK(
    child_is_not_initialized,
    on_both_vendors(in_fresh_process("runtime.init.state-flag",
                                     "a child of an initialized process is not initialized", 1))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  require(runtime.initialize(), "initialize");
  expect_in_child([&] { expect_initialized(runtime, false, "in a child"); });
  expect_initialized(runtime, true, "in the parent");
}

// ---- before use ---------------------------------------------------------------------------------

// What the child does must not change the parent either.
DLCERT_CHECK(early_child_is_free,
             on_both_vendors(in_fresh_process("runtime.fork.bad-fork",
                                              "a child forked before the first use may initialize",
                                              1))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  expect_initialized(runtime, false, "at first");
  expect_in_child([&] {
    require(runtime.initialize(), "initialize");
    expect_initialized(runtime, true, "after initialize");
  });
  expect_initialized(runtime, false, "in the parent of a child that initialized");
  require(runtime.initialize(), "initialize in the parent");
}

DLCERT_CHECK(started_process_is_free,
             on_both_vendors(in_fresh_process("runtime.fork.bad-fork",
                                              "a process that an initialized one starts, and does "
                                              "not fork, may initialize",
                                              1))) {
  const ArrangedEnvironment arranged{c, {}};
  require(GpuRuntime{c.subject()}.initialize(), "initialize");
  testbench::set_variable("DLCERT_MANAGEMENT",
                          "devices=2");  // without a descriptor of this process
  const std::string error = initialize_in_new_process(c.subject());
  expect_acceptance(error.empty(), "initialize in a started process: expected success but found {}",
                    error);
}

// Children before and after initialization, with calls that were queued before them.
DLCERT_CHECK(children_keep_what_was_queued,
             if_touched(on_both_vendors(
                 in_fresh_process("runtime.fork.bad-fork",
                                  "children run what was queued before the fork, or refuse")))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  Journal journal;
  std::vector<std::int64_t> queued;
  bool used = false;
  const std::int64_t steps = c.draw.between(1, 8);
  for (std::int64_t step = 1; step <= steps; ++step) {
    constexpr std::uint64_t a_child = 2;  // the last step always
    switch (step < steps ? c.draw.below(4) : a_child) {
      case 0:
      case 1:
        queue_entry(runtime, journal, static_cast<int>(step));
        queued.push_back(step);
        break;
      case a_child:
        c.touched();
        expect_in_child([&] {
          if (used) {
            require_refused(runtime.initialize(), "initialize in a child of a parent that did");
            return;
          }
          require(runtime.initialize(), "initialize in a child of a parent that did not");
          expect_equal("queued calls that have run in a child", queued, journal.entries());
        });
        break;
      default:
        require(runtime.initialize(), "initialize");
        used = true;
    }
    expect_equal("queued calls that have run", used ? queued : std::vector<std::int64_t>{},
                 journal.entries());
    expect_initialized(runtime, used, "in the parent");
  }
}

// ---- a driver that somebody else has used -------------------------------------------------------

void use_driver_as_another_library() {
  driver::Stream stream{};
  require_arranged(
      driver::simulated_driver().create_stream(driver::StreamKind::non_blocking, 0, stream),
      "create_stream");
}

DLCERT_CHECK(foreign_use_before_the_fork_is_told,
             on_both_vendors(in_fresh_process(
                 "runtime.fork.bad-fork",
                 "a driver that another library used before the fork is an error of initialization",
                 1))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  use_driver_as_another_library();
  expect_in_child([&] {
    const Error error =
        require_refused(runtime.initialize(), "initialize of a driver that ended at the fork");
    expect_kind(c.subject(), error, DLCERT_ERROR_RUNTIME, "initialize");
  });
}

std::string start_message(const GpuRuntime& runtime, const std::function<void()>& arrange) {
  const ChildEnd end = in_forked_child([&] {
    arrange();
    return require_refused(runtime.initialize(), "initialize").message;
  });
  expect(end.answered, "a forked child {}", end.death);
  return end.answer;
}

void restart_without_device() {
  driver::SimulatedDriver& driver = driver::simulated_driver();
  driver::SimulatedOptions options = driver.options();
  options.start_error = driver::Status::no_device;
  driver.restart(options);
}

DLCERT_CHECK(lost_driver_is_no_missing_gpu,
             if_touched(on_both_vendors(in_fresh_process(
                 "runtime.fork.bad-fork",
                 "a driver that ended at the fork is told apart from a missing GPU", 1)))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  use_driver_as_another_library();
  const std::string lost = start_message(runtime, [] {});
  const std::string missing = start_message(runtime, restart_without_device);
  if (!c.subject().declares(DLCERT_FAITHFUL_ERRORS)) return c.declined("messages are not its own");
  c.touched();
  expect(lost != missing, "a driver that ended at the fork is told like a machine without GPUs: {}",
         lost);
}

// ---- queries ------------------------------------------------------------------------------------

DLCERT_CHECK(management_queries_leave_children_free,
             on_both_vendors(in_fresh_process(
                 "runtime.fork.mgmt-check-safe",
                 "a child may initialize after its parent asked the management library", 2))) {
  const ArrangedEnvironment arranged{c, {.variables = {{"PYTORCH_NVML_BASED_CUDA_CHECK", "1"}}}};
  const GpuRuntime runtime{c.subject()};
  const GpuDevices devices{c.subject()};
  if (c.row == 0)
    expect_equal("device_count", std::int64_t{2}, require(devices.device_count(), "device_count"));
  else
    expect_equal("is_available", true, require(devices.is_available(), "is_available"));
  expect_initialized(runtime, false, "after the query");
  expect_in_child([&] { require(runtime.initialize(), "initialize"); });
}

}  // namespace
}  // namespace dlcert::runtime
