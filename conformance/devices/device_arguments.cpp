// SPDX-License-Identifier: Apache-2.0
//
// Which device an argument stands for, in functions that want an index and in those that do not.
#include "devices/support.hpp"
#include "generators/argument_vectors.hpp"
#include "registration.hpp"
#include "testbench/environment.hpp"
#include "testbench/errors.hpp"

namespace dlcert::devices {

DLCERT_FAMILY(device_arguments)

namespace {

using testbench::expect_kind;
using vectors::ArgumentRow;
using vectors::Meaning;

// The current device is the last of three, which all have names of their own.
constexpr std::int64_t device_count = 3;
constexpr std::int64_t current = 2;

Environment three_devices() {
  return {.devices = static_cast<int>(device_count),
          .models = {{.name = "first"}, {.name = "second"}, {.name = "third"}}};
}

void make_last_current(const Case& c) {
  require(GpuRuntime{c.subject()}.set_device(integer(current)), "set_device");
}

bool is_error(const Meaning& meaning) {
  return !meaning.index && !meaning.current;
}

// The index that the function must have taken, where `meaning` is one.
std::int64_t index_of(const Meaning& meaning) {
  return meaning.current ? current : *meaning.index;
}

template <typename T>
void expect_error(const Case& c, std::string_view call, const Meaning& meaning,
                  const Outcome<T>& outcome) {
  expect(!outcome.ok(), "{}: expected {} but found success", call, error_kind_name(meaning.error));
  // RuntimeError is that of torch.device, which no rule is about.
  if (meaning.error != DLCERT_ERROR_RUNTIME)
    expect_kind(c.subject(), outcome.error(), meaning.error, call);
}

void expect_index(Case& c, bool optional) {
  const ArgumentRow& row = vectors::argument_rows()[c.row];
  const Meaning& meaning = optional ? row.where_optional : row.where_required;
  const dlcert_value argument = argument_of(row, is_rocm());
  const ArrangedEnvironment arranged{c, three_devices()};
  if (meaning.current) make_last_current(c);
  const Outcome<std::int64_t> found = GpuDevices{c.subject()}.device_index(argument, optional);
  const std::string call = fmt::format("device_index of {}", dlcert::to_text(argument));
  if (is_error(meaning)) return expect_error(c, call, meaning, found);
  expect_equal(call, index_of(meaning), require(found, call));
}

DLCERT_CHECK(
    index_is_found_where_optional,
    on_both_vendors(device_check("devices.index-resolution",
                                 "an argument stands for its index or for the current device",
                                 [] { return vectors::argument_rows().size(); }))) {
  expect_index(c, true);
}
DLCERT_CHECK(
    index_is_found_where_required,
    on_both_vendors(device_check("devices.index-resolution",
                                 "where an index is required an argument stands for its index",
                                 [] { return vectors::argument_rows().size(); }))) {
  expect_index(c, false);
}

using Kind = Meaning ArgumentRow::*;

// The rows that name a device that is there, or are an error: other indices are no matter of this
// requirement.
std::vector<const ArgumentRow*> rows_for_three_devices(Kind kind) {
  std::vector<const ArgumentRow*> rows;
  for (const ArgumentRow& row : vectors::argument_rows()) {
    const std::optional<std::int64_t> index = (row.*kind).index;
    if (!index || (*index >= 0 && *index < device_count)) rows.push_back(&row);
  }
  return rows;
}

DLCERT_CHECK(properties_take_what_is_optional,
             on_both_vendors(device_check(
                 "devices.index-resolution",
                 "a query of properties takes None and devices without index",
                 [] { return rows_for_three_devices(&ArgumentRow::where_optional).size(); }))) {
  const ArgumentRow& row = *rows_for_three_devices(&ArgumentRow::where_optional)[c.row];
  const Meaning& meaning = row.where_optional;
  const dlcert_value argument = argument_of(row, is_rocm());
  const Environment environment = three_devices();
  const ArrangedEnvironment arranged{c, environment};
  make_last_current(c);
  const Outcome<std::string> found = GpuDevices{c.subject()}.device_name(argument);
  const std::string call = fmt::format("device_name of {}", dlcert::to_text(argument));
  if (is_error(meaning)) return expect_error(c, call, meaning, found);
  expect_equal(call, environment.models[static_cast<std::size_t>(index_of(meaning))].name,
               require(found, call));
}

// A check of the runtime, which sets devices, and of no function of the group of devices.
Check of_runtime(Check check) {
  check.needs = Needs{} | Can::runtime;
  return check;
}

DLCERT_CHECK(set_device_takes_what_is_required,
             on_both_vendors(of_runtime(device_check(
                 "devices.index-resolution", "set_device takes no device without index",
                 [] { return rows_for_three_devices(&ArgumentRow::where_required).size(); })))) {
  const ArgumentRow& row = *rows_for_three_devices(&ArgumentRow::where_required)[c.row];
  const Meaning& meaning = row.where_required;
  const dlcert_value argument = argument_of(row, is_rocm());
  const ArrangedEnvironment arranged{c, three_devices()};
  make_last_current(c);
  const GpuRuntime runtime{c.subject()};
  const Outcome<std::monostate> done = runtime.set_device(argument);
  const std::string call = fmt::format("set_device of {}", dlcert::to_text(argument));
  if (is_error(meaning))
    expect_error(c, call, meaning, done);
  else
    require(done, call);
  owned_by("runtime.set-device", [&] {
    expect_equal(fmt::format("current device after {}", call),
                 is_error(meaning) ? current : index_of(meaning),
                 require(runtime.current_device_index(), "current_device_index"));
  });
}

}  // namespace
}  // namespace dlcert::devices
