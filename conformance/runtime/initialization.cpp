// SPDX-License-Identifier: Apache-2.0
//
// What initializes the runtime of a vendor, what does not, and what a build without it answers.
#include <array>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "registration.hpp"
#include "runtime/calls.hpp"
#include "runtime/support.hpp"
#include "testbench/environment.hpp"
#include "testbench/errors.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(initialization)

namespace {

using testbench::ArrangedEnvironment;
using testbench::ChildEnd;
using testbench::expect_kind;
using testbench::in_forked_child;

// A function of the library, as a user would call it first of all.
struct FirstCall {
  const char* name;
  void (*call)(const Party& library);
};

// ---- lazily -------------------------------------------------------------------------------------

DLCERT_CHECK(loading_touches_nothing,
             on_both_vendors(in_fresh_process("runtime.init.lazy",
                                              "nothing is initialized before something needs it",
                                              1))) {
  ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  expect_initialized(runtime, false, "before initialize");
  expect_equal("calls of the driver before initialization", std::size_t{0},
               arranged.runtime_calls().size());
  require(runtime.initialize(), "initialize");
  expect_initialized(runtime, true, "after initialize");
  expect(!arranged.runtime_calls().empty(), "initialize made no call of the driver");
}

template <typename T>
void must_work(const Outcome<T>& outcome, const char* name) {
  if (!outcome.ok())
    fail_equal(fmt::format("the process's first call, {}", name), "success",
               to_text(outcome.error()));
}

// Those of torch.cuda that start with _lazy_init, or with a guard that does.
constexpr std::array needing{
    FirstCall{
        "runtime_bindings",
        [](const Party& p) { must_work(GpuRuntime{p}.runtime_bindings(), "runtime_bindings"); }},
    FirstCall{"current_device_index",
              [](const Party& p) {
                must_work(GpuRuntime{p}.current_device_index(), "current_device_index");
              }},
    FirstCall{
        "set_device",
        [](const Party& p) { must_work(GpuRuntime{p}.set_device(integer(1)), "set_device"); }},
    FirstCall{
        "exchange_device",
        [](const Party& p) { must_work(GpuRuntime{p}.exchange_device(1), "exchange_device"); }},
    FirstCall{"maybe_exchange_device",
              [](const Party& p) {
                must_work(GpuRuntime{p}.maybe_exchange_device(1), "maybe_exchange_device");
              }},
    FirstCall{
        "new_stream",
        [](const Party& p) { must_work(GpuRuntime{p}.new_stream(integer(1)), "new_stream"); }},
    FirstCall{"current_stream_of",
              [](const Party& p) {
                must_work(GpuRuntime{p}.current_stream_of(none()), "current_stream_of");
              }},
    FirstCall{"default_stream_of",
              [](const Party& p) {
                must_work(GpuRuntime{p}.default_stream_of(integer(1)), "default_stream_of");
              }},
    FirstCall{"synchronize_device",
              [](const Party& p) {
                must_work(GpuRuntime{p}.synchronize_device(none()), "synchronize_device");
              }},
    FirstCall{"ipc_collect",
              [](const Party& p) { must_work(GpuRuntime{p}.ipc_collect(), "ipc_collect"); }},
    FirstCall{"blas_handle",
              [](const Party& p) { must_work(GpuRuntime{p}.blas_handle(), "blas_handle"); }},
    FirstCall{"set_sync_debug_mode",
              [](const Party& p) {
                must_work(GpuRuntime{p}.set_sync_debug_mode(integer(0)), "set_sync_debug_mode");
              }},
    FirstCall{
        "sync_debug_mode",
        [](const Party& p) { must_work(GpuRuntime{p}.sync_debug_mode(), "sync_debug_mode"); }},
    FirstCall{"generator_offset",
              [](const Party& p) {
                must_work(GpuRuntime{p}.generator_offset(integer(0)), "generator_offset");
              }},
    FirstCall{"gpu_object",
              [](const Party& p) { must_work(GpuRuntime{p}.gpu_object(none()), "gpu_object"); }},
    FirstCall{"device_name",
              [](const Party& p) { must_work(GpuDevices{p}.device_name(none()), "device_name"); }},
    FirstCall{"device_capability",
              [](const Party& p) {
                must_work(GpuDevices{p}.device_capability(integer(0)), "device_capability");
              }},
    FirstCall{"device_properties",
              [](const Party& p) {
                must_work(GpuDevices{p}.device_properties(integer(0)), "device_properties");
              }},
    FirstCall{"can_access_peer",
              [](const Party& p) {
                must_work(GpuDevices{p}.can_access_peer(integer(0), integer(1)), "can_access_peer");
              }},
};

DLCERT_CHECK(first_use_initializes,
             on_both_vendors(in_fresh_process(
                 "runtime.init.lazy", "the first call that needs a GPU initializes and works",
                 needing.size()))) {
  const ArrangedEnvironment arranged{c, {}};
  const FirstCall& first = needing.at(c.row);
  first.call(c.subject());
  expect_initialized(GpuRuntime{c.subject()}, true, fmt::format("after {}", first.name));
}

constexpr std::array harmless{
    FirstCall{
        "visible_devices",
        [](const Party& p) { must_work(GpuDevices{p}.visible_devices(), "visible_devices"); }},
    FirstCall{"management_device_count",
              [](const Party& p) {
                must_work(GpuDevices{p}.management_device_count(), "management_device_count");
              }},
    FirstCall{"device_count",
              [](const Party& p) { must_work(GpuDevices{p}.device_count(), "device_count"); }},
    FirstCall{"is_available",
              [](const Party& p) { must_work(GpuDevices{p}.is_available(), "is_available"); }},
    FirstCall{"queue",
              [](const Party& p) {
                must_work(GpuRuntime{p}.queue(DLCERT_CALL_PLAIN, [] { return std::nullopt; }),
                          "queue");
              }},
    FirstCall{"the constants",
              [](const Party& p) {
                must_work(GpuRuntime{p}.constant(DLCERT_CONSTANT_DEFAULT_GENERATORS), "constant");
              }},
    FirstCall{"set_generator_offset",
              [](const Party& p) {
                must_work(GpuRuntime{p}.set_generator_offset(4, integer(0)),
                          "set_generator_offset");
              }},
    FirstCall{
        "storage_classes",
        [](const Party& p) { must_work(GpuRuntime{p}.storage_classes(), "storage_classes"); }},
};

DLCERT_CHECK(asking_initializes_nothing,
             on_both_vendors(in_fresh_process("runtime.init.lazy",
                                              "a call that needs no GPU initializes nothing",
                                              harmless.size()))) {
  const ArrangedEnvironment arranged{c, {}};
  const FirstCall& first = harmless.at(c.row);
  first.call(c.subject());
  expect_initialized(GpuRuntime{c.subject()}, false, fmt::format("after {}", first.name));
  expect_equal(fmt::format("devices with a context after {}", first.name), std::size_t{0},
               driver::simulated_driver().devices_in_use().size());
}

// ---- builds -------------------------------------------------------------------------------------

constexpr std::array incomplete{std::pair{false, true}, std::pair{true, false}};

Build incomplete_build(std::size_t row) {
  Build build;
  std::tie(build.gpu, build.runtime_bindings) = incomplete.at(row);
  return build;
}

DLCERT_CHECK(incomplete_builds_refuse,
             on_both_vendors(in_fresh_process("runtime.init.not-compiled",
                                              "an incomplete build refuses initialization",
                                              incomplete.size()))) {
  const ArrangedEnvironment arranged{c, {.build = incomplete_build(c.row)}};
  const GpuRuntime runtime{c.subject()};
  const Error error = require_refused(runtime.initialize(), "initialize of an incomplete build");
  expect_kind(c.subject(), error, DLCERT_ERROR_ASSERTION, "initialize of an incomplete build");
  expect_initialized(runtime, false, "after the refusal");
}

// Each build in a child of its own, as a process has one build.
std::string message_of_build(const Party& library, std::size_t row) {
  const ChildEnd end = in_forked_child([&] {
    require(GpuRuntime{library}.behave_as(incomplete_build(row)), "behave_as");
    return require_refused(GpuRuntime{library}.initialize(), "initialize").message;
  });
  expect(end.answered, "a child that initialized an incomplete build {}", end.death);
  return end.answer;
}

DLCERT_CHECK(incomplete_builds_say_which,
             if_touched(on_both_vendors(in_fresh_process(
                 "runtime.init.not-compiled", "the message says what the build lacks", 1)))) {
  const ArrangedEnvironment arranged{c, {}};
  const std::string no_gpu = message_of_build(c.subject(), 0);
  const std::string no_bindings = message_of_build(c.subject(), 1);
  if (!c.subject().declares(DLCERT_FAITHFUL_ERRORS)) return c.declined("messages are not its own");
  c.touched();
  expect(no_gpu != no_bindings,
         "a build without GPU support and one without the runtime's bindings refuse with the same "
         "message: {}",
         no_gpu);
}

// ---- module loading -----------------------------------------------------------------------------

constexpr const char* module_loading = "CUDA_MODULE_LOADING";

std::string module_loading_now() {
  const char* const value = ::getenv(module_loading);
  return value == nullptr ? "(unset)" : value;
}

DLCERT_CHECK(unset_module_loading_becomes_lazy,
             on_both_vendors(
                 in_fresh_process("runtime.init.module-loading",
                                  "CUDA_MODULE_LOADING becomes LAZY where nobody has set it", 1))) {
  const ArrangedEnvironment arranged{c, {.variables = {{module_loading, std::nullopt}}}};
  require(GpuRuntime{c.subject()}.initialize(), "initialize");
  expect_equal(module_loading, "LAZY", module_loading_now());
}

constexpr std::array chosen_loading{"EAGER", "LAZY", "eager", ""};

DLCERT_CHECK(chosen_module_loading_stays,
             on_both_vendors(in_fresh_process("runtime.init.module-loading",
                                              "CUDA_MODULE_LOADING stays what somebody has set",
                                              chosen_loading.size()))) {
  const char* const chosen = chosen_loading.at(c.row);
  const ArrangedEnvironment arranged{c, {.variables = {{module_loading, chosen}}}};
  require(GpuRuntime{c.subject()}.initialize(), "initialize");
  expect_equal(module_loading, chosen, module_loading_now());
}

// A start that fails shows what was there before it.
DLCERT_CHECK(module_loading_precedes_the_start,
             on_both_vendors(in_fresh_process("runtime.init.module-loading",
                                              "CUDA_MODULE_LOADING is set before the driver starts",
                                              1))) {
  const ArrangedEnvironment arranged{
      c, {.variables = {{module_loading, std::nullopt}}, .start_error = driver::Status::unknown}};
  require_refused(GpuRuntime{c.subject()}.initialize(), "initialize of a driver that fails");
  expect_equal(module_loading, "LAZY", module_loading_now());
}

// ---- the runtime's bindings ---------------------------------------------------------------------

DLCERT_CHECK(bindings_initialize,
             on_both_vendors(in_fresh_process("runtime.cudart", "the bindings initialize on demand",
                                              1))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  const void* const bindings = require(runtime.runtime_bindings(), "runtime_bindings");
  expect(bindings != nullptr, "runtime_bindings gave nothing");
  expect_initialized(runtime, true, "after runtime_bindings");
}

// Why a driver does not start. A driver that is insufficient and has no version is not there.
struct FailingStart {
  driver::Status error;
  int driver_version = 0;
};
constexpr std::array failing_starts{
    FailingStart{driver::Status::no_device}, FailingStart{driver::Status::insufficient_driver},
    FailingStart{driver::Status::insufficient_driver, 11040},
    FailingStart{driver::Status::not_initialized}, FailingStart{driver::Status::unknown}};

DLCERT_CHECK(bindings_fail_as_initialization_does,
             on_both_vendors(in_fresh_process("runtime.cudart",
                                              "the bindings are refused where initialization is",
                                              failing_starts.size()))) {
  const auto [error, driver_version] = failing_starts.at(c.row);
  const ArrangedEnvironment arranged{c, {.start_error = error, .driver_version = driver_version}};
  const GpuRuntime runtime{c.subject()};
  require_refused(runtime.runtime_bindings(),
                  fmt::format("runtime_bindings of a driver that answers {}",
                              driver::status_text(driver::simulated_driver().vendor(), error)));
  expect_initialized(runtime, false, "after the refusal");
}

}  // namespace
}  // namespace dlcert::runtime
