// SPDX-License-Identifier: Apache-2.0
//
// Status codes as errors, the constants that the library publishes, and builds without GPUs.
#include "testbench/errors.hpp"

#include <array>

#include <dlcert/driver/status.hpp>

#include "registration.hpp"
#include "runtime/calls.hpp"
#include "runtime/support.hpp"
#include "testbench/environment.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(errors)

namespace {

using testbench::ArrangedEnvironment;
using testbench::expect_kind;

// ---- check_error --------------------------------------------------------------------------------

DLCERT_CHECK(success_is_no_error,
             on_both_vendors(in_fresh_process("runtime.check-error", "success is no error", 1))) {
  const ArrangedEnvironment arranged{c, {}};
  require(GpuRuntime{c.subject()}.check_error(0), "check_error of success");
}

constexpr std::array failing_codes{1, 2, 3, 35, 100, 101, 400, 600, 700, 719, 801, 999};

DLCERT_CHECK(codes_become_errors,
             on_both_vendors(
                 in_fresh_process("runtime.check-error",
                                  "another code is an error with the runtime's text and the code",
                                  failing_codes.size()))) {
  const ArrangedEnvironment arranged{c, {}};
  const int code = failing_codes.at(c.row);
  const std::string what = fmt::format("check_error({})", code);
  const Error error = require_refused(GpuRuntime{c.subject()}.check_error(code), what);
  if (!c.subject().declares(DLCERT_FAITHFUL_ERRORS)) return c.observe("text not judged");
  expect(error.kind == DLCERT_ERROR_DEVICE || error.kind == DLCERT_ERROR_RUNTIME,
         "{}: expected an error of the runtime but found {}", what, to_text(error));
  const std::string expected = fmt::format(
      "{} ({})",
      driver::status_text(driver::simulated_driver().vendor(), static_cast<driver::Status>(code)),
      code);
  expect(error.message.ends_with(expected), R"({}: expected the message "{}" but found "{}")", what,
         expected, error.message);
}

// ---- constants ----------------------------------------------------------------------------------

std::int64_t constant(const Case& c, std::int32_t which) {
  return require(GpuRuntime{c.subject()}.constant(which), "constant");
}

DLCERT_CHECK(status_constants,
             on_both_vendors(in_fresh_process("runtime.status-constants",
                                              "the published status codes have their values", 1))) {
  const ArrangedEnvironment arranged{c, {}};
  const bool current = c.settings.policy("status-not-ready-code") == "current";
  expect_equal("the constant for success", std::int64_t{0},
               constant(c, DLCERT_CONSTANT_STATUS_SUCCESS));
  expect_equal("the constant for not ready", std::int64_t{current ? 600 : 34},
               constant(c, DLCERT_CONSTANT_STATUS_NOT_READY));
}

DLCERT_CHECK(half_is_supported, on_both_vendors(in_fresh_process("runtime.module-constants",
                                                                 "half is supported", 1))) {
  const ArrangedEnvironment arranged{c, {}};
  expect_equal("has_half", std::int64_t{1}, constant(c, DLCERT_CONSTANT_HAS_HALF));
}

DLCERT_CHECK(linear_algebra_is_as_built,
             on_both_vendors(in_fresh_process("runtime.module-constants",
                                              "linear algebra is supported as built", 2))) {
  const bool built = c.row == 1;
  const ArrangedEnvironment arranged{c, {.build = Build{.linear_algebra = built}}};
  expect_equal("has_magma", std::int64_t{built}, constant(c, DLCERT_CONSTANT_HAS_LINEAR_ALGEBRA));
}

DLCERT_CHECK(generators_come_with_initialization,
             on_both_vendors(in_fresh_process(
                 "runtime.module-constants",
                 "each device has a generator after initialization and none before", 3))) {
  const int devices = static_cast<int>(c.row) + 1;
  const ArrangedEnvironment arranged{c, {.devices = devices}};
  expect_equal("default generators before initialization", std::int64_t{0},
               constant(c, DLCERT_CONSTANT_DEFAULT_GENERATORS));
  require(GpuRuntime{c.subject()}.initialize(), "initialize");
  expect_equal("default generators after initialization", std::int64_t{devices},
               constant(c, DLCERT_CONSTANT_DEFAULT_GENERATORS));
}

// ---- builds without GPUs ------------------------------------------------------------------------

// Calls both functions, one after the other.
template <typename Judge>
void exchange_in_build_without_gpu(Case& c, std::int64_t device, const Judge& judge) {
  ArrangedEnvironment arranged{c, {.build = Build{.gpu = false, .runtime_bindings = false}}};
  const GpuRuntime runtime{c.subject()};
  judge(runtime.exchange_device(device), fmt::format("exchange_device({})", device));
  judge(runtime.maybe_exchange_device(device), fmt::format("maybe_exchange_device({})", device));
  expect_equal("calls of the driver", std::size_t{0}, arranged.runtime_calls().size());
}

constexpr std::array<std::int64_t, 3> negative_devices{-1, -2, -100};

DLCERT_CHECK(
    negative_exchange_without_gpu,
    on_both_vendors(in_fresh_process("runtime.exchange-device-nogpu",
                                     "without GPU support a negative device changes nothing",
                                     negative_devices.size()))) {
  exchange_in_build_without_gpu(
      c, negative_devices.at(c.row), [](Outcome<std::int64_t> former, const std::string& what) {
        expect_equal(what, std::int64_t{-1}, require(std::move(former), what));
      });
}

constexpr std::array<std::int64_t, 3> some_devices{0, 1, 100};

DLCERT_CHECK(exchange_without_gpu,
             on_both_vendors(in_fresh_process("runtime.exchange-device-nogpu",
                                              "without GPU support a device is refused",
                                              some_devices.size()))) {
  exchange_in_build_without_gpu(
      c, some_devices.at(c.row), [&](const Outcome<std::int64_t>& former, const std::string& what) {
        expect_kind(c.subject(), require_refused(former, what), DLCERT_ERROR_RUNTIME, what);
      });
}

}  // namespace
}  // namespace dlcert::runtime
