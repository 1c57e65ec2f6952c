// SPDX-License-Identifier: Apache-2.0
//
// How many devices there are when the management library is missing, or fails somewhere.
#include <algorithm>

#include "devices/support.hpp"
#include "generators/vectors.hpp"
#include "registration.hpp"
#include "testbench/facts.hpp"

namespace dlcert::devices {

DLCERT_FAMILY(count_failures)

namespace {

using vectors::ManagementRow;

struct CountRow {
  const ManagementRow* machine;
  const ManagementRow::Count* asked;
};

std::vector<const ManagementRow*> machines_of(bool rocm) {
  std::vector<const ManagementRow*> machines;
  for (const ManagementRow& row : vectors::management_rows())
    if (row.rocm == rocm) machines.push_back(&row);
  return machines;
}

std::vector<CountRow> count_rows_of(bool rocm) {
  std::vector<CountRow> rows;
  for (const ManagementRow* const machine : machines_of(rocm))
    for (const ManagementRow::Count& asked : machine->counts)
      rows.push_back({machine, &asked});
  return rows;
}

Environment environment_of(const ManagementRow& row,
                           const std::optional<std::string>& value = std::nullopt) {
  return {.variables = {{visible_variable(), value}},
          .management = row.library,
          .management_settings = row.settings,
          .devices = static_cast<int>(vectors::management_runtime_count())};
}

std::string described(const ManagementRow& row) {
  if (row.library == ManagementLibrary::absent) return "without a management library";
  if (row.library == ManagementLibrary::lacking) return "with a library that lacks functions";
  return "with " + row.settings;
}

DLCERT_CHECK(runtime_counts_where_management_cannot,
             on_cuda(device_check("devices.count.fallback-runtime",
                                  "the runtime counts exactly where NVML cannot",
                                  [] { return count_rows_of(false).size(); })),
             on_rocm(device_check("devices.count.fallback-runtime",
                                  "the runtime counts exactly where AMD SMI cannot",
                                  [] { return count_rows_of(true).size(); }))) {
  const auto [machine, asked] = count_rows_of(is_rocm())[c.row];
  ArrangedEnvironment arranged{c, environment_of(*machine, asked->value)};
  const std::string where =
      fmt::format("of {:?} {}", asked->value.value_or("(unset)"), described(*machine));
  const std::int64_t found = count_devices(c);
  testbench::Owners owners;
  if (asked->device_count == 0 && found == vectors::management_runtime_count())
    owners.push_back("devices.count.empty-list-zero");
  owned_by(owners, [&] { expect_equal("devices " + where, asked->device_count, found); });
  owned_by("devices.count.mgmt-first", [&] {
    expect_equal("whether the runtime was asked for those " + where, asked->asks_runtime,
                 !arranged.runtime_calls().empty());
  });
}

constexpr std::array unusable_bindings{DLCERT_BINDINGS_MISSING, DLCERT_BINDINGS_BROKEN};

// NVML is called without its module, AMD SMI is not.
DLCERT_CHECK(amd_smi_is_not_asked_without_its_module,
             on_rocm(device_check("devices.count.fallback-runtime",
                                  "the runtime counts where AMD SMI's module cannot be used",
                                  unusable_bindings.size()))) {
  const Build build{.management_bindings = unusable_bindings.at(c.row)};
  const ArrangedEnvironment arranged{
      c, {.management_settings = "devices=2", .devices = runtime_devices, .build = build}};
  const GpuDevices devices{c.subject()};
  expect_equal("devices without the module", std::int64_t{runtime_devices}, count_devices(c));
  if (auto raw = devices.raw_device_count(); raw.ok())
    expect_equal("raw count without the module", std::int64_t{-1}, raw.value());
  if (auto uuids = devices.raw_device_uuids(); uuids.ok())
    expect_equal("whether there are UUIDs without the module", false, uuids.value().has_value());
}

void expect_warning(const Case& c, const std::string& what, bool expected) {
  const auto warnings = c.take_warnings();
  expect(warnings.empty() != expected, "warnings of {}: expected {} but found {}", what,
         expected ? "one" : "none", to_text(warnings));
}

// With and without a list of visible devices; each of the three questions in a process of its own.
constexpr std::size_t module_questions = 3;

void ask_without_module(const GpuDevices& devices, std::size_t question) {
  if (question == 0)
    expect_equal("devices without the module", std::int64_t{runtime_devices},
                 require(devices.device_count(), "device_count"));
  if (question == 1)
    expect_equal("raw count without the module", std::int64_t{-1},
                 require(devices.raw_device_count(), "raw_device_count"));
  if (question == 2)
    expect_equal("whether there are UUIDs without the module", false,
                 require(devices.raw_device_uuids(), "raw_device_uuids").has_value());
}

DLCERT_CHECK(missing_module_is_no_failure,
             on_rocm(device_check("devices.count.mgmt-failures-warn",
                                  "without its module AMD SMI is not called, and nobody is warned",
                                  unusable_bindings.size() * module_questions))) {
  const Build build{.management_bindings = unusable_bindings.at(c.row / module_questions)};
  const std::optional<std::string> listed =
      c.draw.flip() ? std::optional<std::string>{"0,1"} : std::nullopt;
  const ArrangedEnvironment arranged{c,
                                     {.variables = {{visible_variable(), listed}},
                                      .management_settings = "devices=2",
                                      .devices = runtime_devices,
                                      .build = build}};
  ask_without_module(GpuDevices{c.subject()}, c.row % module_questions);
  expect_warning(c, "devices without the module", false);
  const auto calls = arranged.management_calls();
  expect(calls.empty(), "calls of AMD SMI without its module: expected none but found {}",
         to_text(calls));
}

bool has_failed_query(const ArrangedEnvironment& arranged) {
  return std::ranges::any_of(arranged.management_calls(),
                             [](const std::string& call) { return !call.ends_with(" = 0"); });
}

// Which queries a count makes is the matter of other requirements.
DLCERT_CHECK(
    failing_query_of_the_count_warns,
    if_touched(on_cuda(device_check("devices.count.mgmt-failures-warn",
                                    "a count of devices warns exactly where a query of NVML fails",
                                    [] { return count_rows_of(false).size(); }))),
    if_touched(
        on_rocm(device_check("devices.count.mgmt-failures-warn",
                             "a count of devices warns exactly where a query of AMD SMI fails",
                             [] { return count_rows_of(true).size(); })))) {
  const auto [machine, asked] = count_rows_of(is_rocm())[c.row];
  const ArrangedEnvironment arranged{c, environment_of(*machine, asked->value)};
  count_devices(c);
  if (has_failed_query(arranged) != asked->warns)
    return c.declined("other queries than those of torch 2.4");
  c.touched();
  expect_warning(
      c, fmt::format("the count of {:?} {}", asked->value.value_or("(unset)"), described(*machine)),
      asked->warns);
}

DLCERT_CHECK(failing_count_warns,
             if_touched(on_cuda(device_check("devices.count.mgmt-failures-warn",
                                             "a count that NVML fails is -1, with a warning",
                                             [] { return machines_of(false).size(); }))),
             if_touched(on_rocm(device_check("devices.count.mgmt-failures-warn",
                                             "a count that AMD SMI fails is -1, with a warning",
                                             [] { return machines_of(true).size(); })))) {
  const ManagementRow& machine = *machines_of(is_rocm())[c.row];
  const ArrangedEnvironment arranged{c, environment_of(machine)};
  const auto outcome = GpuDevices{c.subject()}.raw_device_count();
  if (!outcome.ok() && machine.library != ManagementLibrary::stand_in)
    return c.declined("the raw count of a library that cannot be opened raises");
  c.touched();
  expect_equal("devices " + described(machine), machine.raw_count,
               require(outcome, "raw_device_count"));
  expect_warning(c, "the raw count " + described(machine), machine.raw_count_warns);
}

DLCERT_CHECK(failing_uuid_list_warns,
             if_touched(on_cuda(device_check("devices.count.mgmt-failures-warn",
                                             "UUIDs that NVML fails are no list, with a warning",
                                             [] { return machines_of(false).size(); }))),
             if_touched(on_rocm(device_check("devices.count.mgmt-failures-warn",
                                             "UUIDs that AMD SMI fails are no list, with a warning",
                                             [] { return machines_of(true).size(); })))) {
  const ManagementRow& machine = *machines_of(is_rocm())[c.row];
  const ArrangedEnvironment arranged{c, environment_of(machine)};
  const auto outcome = GpuDevices{c.subject()}.raw_device_uuids();
  if (!outcome.ok() && machine.library != ManagementLibrary::stand_in)
    return c.declined("the UUIDs of a library that cannot be opened raise");
  c.touched();
  const auto found = require(outcome, "raw_device_uuids");
  expect_equal("whether there are UUIDs " + described(machine), machine.raw_uuids.has_value(),
               found.has_value());
  expect_warning(c, "the UUIDs " + described(machine), machine.raw_uuids_warns);
}

}  // namespace
}  // namespace dlcert::devices
