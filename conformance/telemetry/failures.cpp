// SPDX-License-Identifier: Apache-2.0
//
// Telemetry without the module of bindings, the management library or its driver.
#include "registration.hpp"
#include "telemetry/machine.hpp"
#include "testbench/errors.hpp"

namespace dlcert::telemetry {

DLCERT_FAMILY(failures)

namespace {

using testbench::expect_kind;

// Rows are quantities, once for each of `variants`.
Quantity quantity_of(const Case& c) {
  return quantities[c.row % quantities.size()];
}
std::size_t variant_of(const Case& c) {
  return c.row / quantities.size();
}
Check for_each_quantity(std::string_view requirement, std::string_view sentence,
                        std::size_t variants) {
  return telemetry_check(requirement, sentence, quantities.size() * variants);
}

// Of AMD SMI: driver not loaded, initialization failed, busy, no permission, invalid argument,
// timeout, retry, not initialized, insufficient size, and one that it does not document.
constexpr std::array<std::int64_t, 10> amd_smi_codes{34, 18, 30, 10, 1, 8, 9, 32, 41, 99};

constexpr std::int64_t nvml_driver_not_loaded = 9;

constexpr std::array unusable_bindings{DLCERT_BINDINGS_MISSING, DLCERT_BINDINGS_BROKEN};

DLCERT_CHECK(module_is_missed, if_touched(on_both_vendors(for_each_quantity(
                                   "telemetry.handler.missing-module",
                                   "a module that cannot be imported is a ModuleNotFoundError",
                                   unusable_bindings.size())))) {
  touched_if_measured(c, quantity_of(c));
  const bool missing = unusable_bindings[variant_of(c)] == DLCERT_BINDINGS_MISSING;
  const Build build{.management_bindings = unusable_bindings[variant_of(c)]};
  const ArrangedEnvironment arranged{c, {.build = build}};
  const Error error = expect_error(c, quantity_of(c), integer(0),
                                   missing ? "without the module" : "with a broken module");
  expect_kind(c.subject(), error, DLCERT_ERROR_MODULE_NOT_FOUND, "error");
}

DLCERT_CHECK(missing_module_has_its_cause,
             if_touched(on_both_vendors(for_each_quantity(
                 "telemetry.handler.missing-module",
                 "the error of a broken module has a cause, that of a missing one has none",
                 unusable_bindings.size())))) {
  const bool broken = unusable_bindings[variant_of(c)] == DLCERT_BINDINGS_BROKEN;
  const Build build{.management_bindings = unusable_bindings[variant_of(c)]};
  const ArrangedEnvironment arranged{c, {.build = build}};
  const Error error = expect_error(c, quantity_of(c), integer(0),
                                   broken ? "with a broken module" : "without the module");
  if (!testbench::tells_cause(c, error)) return;
  if (broken) return testbench::expect_cause(error, "error");
  expect(error.cause == DLCERT_CAUSE_NONE, "error: expected no cause but found \"{}\"",
         error.cause_message);
}

// Every function that initializes the library.
std::string failing_initialization(std::int64_t code) {
  if (is_rocm()) return fmt::format("fail=amdsmi_init:{}", code);
  return fmt::format("fail=nvmlInit:{0};fail=nvmlInit_v2:{0};fail=nvmlInitWithFlags:{0}", code);
}

// Whether a number follows the name. torch 2.4 asks for ROCm 5.6, torch 2.15 for 6.0.
bool names_a_release_of_rocm(std::string_view message) {
  const std::size_t name = message.find("ROCm");
  return name != std::string_view::npos &&
         message.find_first_of("0123456789", name) != std::string_view::npos;
}

DLCERT_CHECK(driver_is_missed,
             if_touched(on_cuda(for_each_quantity("telemetry.handler.driver-missing",
                                                  "a driver that is not loaded is a RuntimeError",
                                                  1))),
             if_touched(on_rocm(for_each_quantity(
                 "telemetry.handler.driver-missing",
                 "a driver that cannot be used is a RuntimeError that asks for a release of ROCm",
                 amd_smi_codes.size())))) {
  touched_if_measured(c, quantity_of(c));
  const std::int64_t code = is_rocm() ? amd_smi_codes[variant_of(c)] : nvml_driver_not_loaded;
  const ArrangedEnvironment arranged{c, {.management_settings = failing_initialization(code)}};
  const Error error = expect_error(c, quantity_of(c), integer(0),
                                   fmt::format("where initialization answers {}", code));
  expect_kind(c.subject(), error, DLCERT_ERROR_RUNTIME, "error");
  if (!is_rocm() || !c.subject().declares(DLCERT_FAITHFUL_ERRORS)) return;
  expect(names_a_release_of_rocm(error.message),
         "error: expected a request for ROCm and a release but found {:?}", error.message);
}

DLCERT_CHECK(missing_driver_has_its_cause,
             if_touched(on_cuda(for_each_quantity(
                 "telemetry.handler.driver-missing",
                 "the error of a driver that is not loaded has that of NVML as its cause", 1))),
             if_touched(on_rocm(for_each_quantity(
                 "telemetry.handler.driver-missing",
                 "the error of a driver that cannot be used has that of AMD SMI as its cause",
                 1)))) {
  const std::int64_t code = is_rocm() ? amd_smi_codes.front() : nvml_driver_not_loaded;
  const ArrangedEnvironment arranged{c, {.management_settings = failing_initialization(code)}};
  const Error error = expect_error(c, quantity_of(c), integer(0),
                                   fmt::format("where initialization answers {}", code));
  if (testbench::tells_cause(c, error)) testbench::expect_cause(error, "error");
}

// Not initialized, no permission, operating system error, version mismatch, unknown, not found,
// library not found, function not found, and one that NVML does not document.
constexpr std::array<std::int64_t, 9> nvml_codes{1, 4, 17, 18, 999, 6, 12, 13, 998};

DLCERT_CHECK(other_failures_are_errors,
             if_touched(on_cuda(for_each_quantity("telemetry.handler.driver-missing",
                                                  "another failure of initialization is an error",
                                                  nvml_codes.size())))) {
  touched_if_measured(c, quantity_of(c));
  const std::int64_t code = nvml_codes[variant_of(c)];
  const ArrangedEnvironment arranged{c, {.management_settings = failing_initialization(code)}};
  expect_error(c, quantity_of(c), integer(0), fmt::format("where initialization answers {}", code));
}

constexpr std::array unusable_libraries{ManagementLibrary::absent, ManagementLibrary::lacking};

DLCERT_CHECK(library_is_missed, if_touched(on_both_vendors(for_each_quantity(
                                    "telemetry.handler.driver-missing",
                                    "a management library that cannot be used is an error",
                                    unusable_libraries.size())))) {
  touched_if_measured(c, quantity_of(c));
  const bool absent = unusable_libraries[variant_of(c)] == ManagementLibrary::absent;
  const ArrangedEnvironment arranged{c, {.management = unusable_libraries[variant_of(c)]}};
  expect_error(c, quantity_of(c), integer(0),
               absent ? "without the management library" : "with a library without functions");
}

}  // namespace
}  // namespace dlcert::telemetry
