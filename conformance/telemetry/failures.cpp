// SPDX-License-Identifier: Apache-2.0
//
// Without the module, the management library or its driver.
#include "telemetry/families.hpp"
#include "telemetry/machine.hpp"
#include "testbench/errors.hpp"
#include "testbench/platforms.hpp"

namespace dlcert::telemetry {

namespace {

using testbench::add_for_both;
using testbench::add_for_cuda;
using testbench::add_for_rocm;
using testbench::expect_kind;

// Rows are quantities, once for each of `variants`.
Quantity quantity_of(const Case& c) {
  return quantities[c.row % quantities.size()];
}
std::size_t variant_of(const Case& c) {
  return c.row / quantities.size();
}
Check check_for_each(std::string_view requirement, std::string_view sentence, std::size_t variants,
                     void (*body)(Case&)) {
  Check check = telemetry_check(requirement, sentence, body);
  check.rows = quantities.size() * variants;
  return check;
}

constexpr std::array unusable_bindings{DLCERT_BINDINGS_MISSING, DLCERT_BINDINGS_BROKEN};

void module_is_missed(Case& c) {
  const bool missing = unusable_bindings[variant_of(c)] == DLCERT_BINDINGS_MISSING;
  const Build build{.management_bindings = unusable_bindings[variant_of(c)]};
  const ArrangedEnvironment arranged{c, {.build = build}};
  const Error error = expect_error(c, quantity_of(c), integer(0),
                                   missing ? "without the module" : "with a broken module");
  expect_kind(c.subject(), error, DLCERT_ERROR_MODULE_NOT_FOUND, "error");
}

// Every function that initializes the library.
std::string failing_initialization(std::int64_t code) {
  if (on_rocm()) return fmt::format("fail=amdsmi_init:{}", code);
  return fmt::format("fail=nvmlInit:{0};fail=nvmlInit_v2:{0};fail=nvmlInitWithFlags:{0}", code);
}

void driver_is_missed(Case& c) {
  constexpr std::int64_t nvml_driver_not_loaded = 9;
  constexpr std::array<std::int64_t, 4> amd{34, 18, 30, 10};
  const std::int64_t code = on_rocm() ? amd[variant_of(c)] : nvml_driver_not_loaded;
  const ArrangedEnvironment arranged{c, {.management_settings = failing_initialization(code)}};
  const Error error = expect_error(c, quantity_of(c), integer(0),
                                   fmt::format("where initialization answers {}", code));
  expect_kind(c.subject(), error, DLCERT_ERROR_RUNTIME, "error");
  if (!on_rocm() || !c.subject().declares(DLCERT_FAITHFUL_ERRORS)) return;
  expect(error.message.find("5.6") != std::string::npos,
         "error: expected a request for ROCm 5.6 but found {:?}", error.message);
}

constexpr std::array<std::int64_t, 5> nvml_codes{1, 4, 17, 18, 999};

void other_failures_are_errors(Case& c) {
  const std::int64_t code = nvml_codes[variant_of(c)];
  const ArrangedEnvironment arranged{c, {.management_settings = failing_initialization(code)}};
  expect_error(c, quantity_of(c), integer(0), fmt::format("where initialization answers {}", code));
}

constexpr std::array unusable_libraries{ManagementLibrary::absent, ManagementLibrary::lacking};

void library_is_missed(Case& c) {
  const bool absent = unusable_libraries[variant_of(c)] == ManagementLibrary::absent;
  const ArrangedEnvironment arranged{c, {.management = unusable_libraries[variant_of(c)]}};
  expect_error(c, quantity_of(c), integer(0),
               absent ? "without the management library" : "with a library without functions");
}

}  // namespace

void register_failure_checks(Suite& suite) {
  add_for_both(suite, check_for_each("telemetry.handler.missing-module",
                                     "a module that cannot be imported is a ModuleNotFoundError",
                                     unusable_bindings.size(), module_is_missed));
  constexpr std::string_view driver = "telemetry.handler.driver-missing";
  add_for_cuda(suite, check_for_each(driver, "a driver that is not loaded is a RuntimeError", 1,
                                     driver_is_missed));
  add_for_rocm(suite, check_for_each(driver,
                                     "a driver that cannot be used is a RuntimeError that "
                                     "asks for ROCm 5.6",
                                     4, driver_is_missed));
  add_for_cuda(suite, check_for_each(driver, "another failure of initialization is an error",
                                     nvml_codes.size(), other_failures_are_errors));
  add_for_both(suite, check_for_each(driver, "a management library that cannot be used is an error",
                                     unusable_libraries.size(), library_is_missed));
}

}  // namespace dlcert::telemetry
