// SPDX-License-Identifier: Apache-2.0
//
// Whether there is a GPU, asked of the runtime or of the management library.
#include <array>

#include "registration.hpp"
#include "runtime/support.hpp"
#include "testbench/environment.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(availability)

namespace {

using testbench::ArrangedEnvironment;
using testbench::Environment;

constexpr const char* by_management = "PYTORCH_NVML_BASED_CUDA_CHECK";

// What the variable is set to in the cases that ask the runtime; NULL: unset.
constexpr std::array<const char*, 6> runtime_modes{nullptr, "", "0", "true", "2", "11"};

Environment with_mode(const char* mode) {
  Environment environment;
  environment.variables[by_management] =
      mode == nullptr ? std::nullopt : std::optional<std::string>{mode};
  return environment;
}

void expect_available(const Party& library, bool expected) {
  const Outcome<bool> available = GpuDevices{library}.is_available();
  expect_equal("is_available", expected, require(available, "is_available"));
  expect_initialized(GpuRuntime{library}, false, "after is_available");
}

DLCERT_CHECK(runtime_devices_count,
             on_both_vendors(
                 in_fresh_process("runtime.available.modes",
                                  "a device of the runtime is available unless the variable is 1",
                                  runtime_modes.size()))) {
  Environment environment = with_mode(runtime_modes.at(c.row));
  environment.management_settings = "devices=0";
  const ArrangedEnvironment arranged{c, environment};
  expect_available(c.subject(), true);
}

DLCERT_CHECK(runtime_without_devices_does_not,
             on_both_vendors(in_fresh_process(
                 "runtime.available.modes",
                 "nothing is available without a device of the runtime unless the variable is 1",
                 runtime_modes.size()))) {
  Environment environment = with_mode(runtime_modes.at(c.row));
  environment.start_error = driver::Status::no_device;
  const ArrangedEnvironment arranged{c, environment};
  expect_available(c.subject(), false);
}

struct StartError {
  driver::Status status;
  int driver_version = 0;  // of a driver that is too old
};

constexpr std::array<StartError, 8> start_errors{{{driver::Status::not_initialized},
                                                  {driver::Status::out_of_memory},
                                                  {driver::Status::insufficient_driver},
                                                  {driver::Status::insufficient_driver, 9000},
                                                  {driver::Status::no_device},
                                                  {driver::Status::invalid_device},
                                                  {driver::Status::not_supported},
                                                  {driver::Status::unknown}}};

DLCERT_CHECK(
    no_error_of_the_driver_is_thrown,
    on_both_vendors(in_fresh_process("runtime.available.modes",
                                     "a driver that does not start is unavailable, not an error",
                                     start_errors.size()))) {
  const auto [status, driver_version] = start_errors.at(c.row);
  const ArrangedEnvironment arranged{c, {.start_error = status, .driver_version = driver_version}};
  expect_available(c.subject(), false);
}

DLCERT_CHECK(management_mode_counts_management_devices,
             on_both_vendors(in_fresh_process(
                 "runtime.available.modes",
                 "a device of the management library is available if the variable is 1", 1))) {
  Environment environment = with_mode("1");
  environment.devices = 0;
  environment.management_settings = "devices=2";
  ArrangedEnvironment arranged{c, environment};
  expect_available(c.subject(), true);
  expect_equal("calls of the driver by is_available", std::size_t{0},
               arranged.runtime_calls().size());
}

// The runtime counts where the management library cannot.
DLCERT_CHECK(management_mode_falls_back_to_the_runtime,
             on_both_vendors(in_fresh_process(
                 "runtime.available.modes",
                 "a device of the runtime is available if the variable is 1 and the management "
                 "library is missing",
                 1))) {
  Environment environment = with_mode("1");
  environment.management = ManagementLibrary::absent;
  const ArrangedEnvironment arranged{c, environment};
  expect_available(c.subject(), true);
}

DLCERT_CHECK(management_mode_sees_none,
             on_both_vendors(in_fresh_process("runtime.available.modes",
                                              "nothing is available without any device", 1))) {
  Environment environment = with_mode("1");
  environment.devices = 0;
  const ArrangedEnvironment arranged{c, environment};
  expect_available(c.subject(), false);
}

}  // namespace
}  // namespace dlcert::runtime
