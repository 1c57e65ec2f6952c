// SPDX-License-Identifier: Apache-2.0
//
// The list of visible devices, as it stands in the environment: what each known value lists.
#include <algorithm>
#include <array>

#include "devices/support.hpp"
#include "generators/vectors.hpp"
#include "registration.hpp"
#include "testbench/errors.hpp"
#include "testbench/exports.hpp"

namespace dlcert::devices {

DLCERT_FAMILY(visible_devices)

namespace {

using testbench::kind_is;
using vectors::RocmRow;
using vectors::VisibleRow;

// Which rule a row is about.
enum class Rule : std::uint8_t {
  unset,
  sign_only,
  identifiers,
  first_invalid,
  duplicate,
  stop,
  plain_list,
  number_prefix,
};

bool starts_with_a_device(std::string_view value) {
  constexpr std::string_view blanks = " \t\n\v\f\r\x1c\x1d\x1e\x1f";
  value.remove_prefix(std::min(value.find_first_not_of(blanks), value.size()));
  const bool negative = value.starts_with('-');
  if (negative || value.starts_with('+')) value.remove_prefix(1);
  const std::string_view digits = value.substr(0, value.find_first_not_of("0123456789"));
  return !digits.empty() && (!negative || digits.find_first_not_of('0') == digits.npos);
}

Rule rule_of(const VisibleRow& row) {
  if (!row.value) return Rule::unset;
  const std::string& value = *row.value;
  const auto entries = static_cast<std::size_t>(std::ranges::count(value, ',')) + 1;
  if (row.has_sign_only) return Rule::sign_only;
  if (value.starts_with("GPU-") || value.starts_with("MIG-")) return Rule::identifiers;
  if (!starts_with_a_device(value)) return Rule::first_invalid;
  if (row.devices.empty()) return Rule::duplicate;
  if (row.devices.size() < entries) return Rule::stop;
  const bool plain = value.find_first_not_of("0123456789, ") == value.npos;
  return plain ? Rule::plain_list : Rule::number_prefix;
}

std::vector<const VisibleRow*> rows_about(Rule rule) {
  std::vector<const VisibleRow*> rows;
  for (const VisibleRow& row : vectors::visible_rows(false))
    if (rule_of(row) == rule) rows.push_back(&row);
  return rows;
}

void expect_listed(const Case& c, Rule rule) {
  const VisibleRow& row = *rows_about(rule)[c.row];
  const ArrangedEnvironment arranged{c, {.variables = {{visible_variable(), row.value}}}};
  expect_list(row.value, row.devices, visible_list(c));
}

// The heads of a check whose rows are those about one rule.
std::vector<Check> check_of(Rule rule, std::string_view requirement, std::string_view sentence) {
  return on_both_vendors(
      device_check(requirement, sentence, [rule] { return rows_about(rule).size(); }));
}

DLCERT_CHECK(unset_variable_lists_all, check_of(Rule::unset, "devices.visible.unset-default",
                                                "without the variable the list is 0 to 63")) {
  expect_listed(c, Rule::unset);
}

DLCERT_CHECK(invalid_start_lists_nothing,
             check_of(Rule::first_invalid, "devices.visible.empty-string",
                      "a value without a valid first element lists no device")) {
  expect_listed(c, Rule::first_invalid);
}

DLCERT_CHECK(ordinals_are_listed, check_of(Rule::plain_list, "devices.visible.index-list",
                                           "ordinals are listed in order, without blanks")) {
  expect_listed(c, Rule::plain_list);
}

DLCERT_CHECK(invalid_element_ends_the_list, check_of(Rule::stop, "devices.visible.stop-at-invalid",
                                                     "the first invalid element ends the list")) {
  expect_listed(c, Rule::stop);
}

DLCERT_CHECK(duplicate_empties_the_list,
             check_of(Rule::duplicate, "devices.visible.duplicate-empties",
                      "a repeated ordinal empties the list")) {
  expect_listed(c, Rule::duplicate);
}

DLCERT_CHECK(number_prefix_counts, check_of(Rule::number_prefix, "devices.visible.strtoul-prefix",
                                            "an element is the number that it starts with")) {
  expect_listed(c, Rule::number_prefix);
}

DLCERT_CHECK(identifiers_are_listed, check_of(Rule::identifiers, "devices.visible.uuid-prefix-list",
                                              "identifiers are listed as they are written")) {
  expect_listed(c, Rule::identifiers);
}

DLCERT_CHECK(sign_ends_the_list, check_of(Rule::sign_only, "devices.visible.sign-only",
                                          "a sign without digits ends the list")) {
  const VisibleRow& row = *rows_about(Rule::sign_only)[c.row];
  const ArrangedEnvironment arranged{c, {.variables = {{visible_variable(), row.value}}}};
  const auto listed = GpuDevices{c.subject()}.visible_devices();
  const bool may_refuse = c.settings.policy("visible-devices-sign-only") == "value-error";
  if (may_refuse && !listed.ok() && kind_is(c.subject(), listed.error(), DLCERT_ERROR_VALUE))
    return c.observe("refused");
  expect_list(row.value, row.devices, require(listed, "visible_devices"));
}

// ---- which variable ----

struct GoverningVariable {
  std::map<std::string, std::optional<std::string>> variables;
  std::vector<std::string> devices;
};

// Returns the devices that are visible if the variable is unset.
std::vector<std::string> all_devices() {
  std::vector<std::string> devices;
  for (int i = 0; i < 64; ++i)
    devices.push_back(std::to_string(i));
  return devices;
}

const std::array<GoverningVariable, 5> cuda_environments{{
    {{{"CUDA_VISIBLE_DEVICES", "1"}, {"HIP_VISIBLE_DEVICES", "0"}}, {"1"}},
    {{{"CUDA_VISIBLE_DEVICES", "2,0"}, {"ROCR_VISIBLE_DEVICES", "1"}}, {"2", "0"}},
    {{{"CUDA_VISIBLE_DEVICES", ""}, {"HIP_VISIBLE_DEVICES", "0"}}, {}},
    {{{"CUDA_VISIBLE_DEVICES", std::nullopt}, {"HIP_VISIBLE_DEVICES", "0"}}, all_devices()},
    {{{"CUDA_VISIBLE_DEVICES", std::nullopt}, {"ROCR_VISIBLE_DEVICES", "1"}}, all_devices()},
}};

DLCERT_CHECK(cuda_variable_governs,
             on_cuda(device_check("devices.visible.env-name", "CUDA_VISIBLE_DEVICES governs",
                                  cuda_environments.size()))) {
  const GoverningVariable& row = cuda_environments[c.row];
  const ArrangedEnvironment arranged{c, {.variables = row.variables}};
  expect_list(row.variables.at("CUDA_VISIBLE_DEVICES"), row.devices, visible_list(c));
}

DLCERT_CHECK(hip_variable_governs,
             on_rocm(device_check("devices.visible.env-name", "HIP_VISIBLE_DEVICES governs",
                                  [] { return vectors::rocm_rows().size(); }))) {
  const RocmRow& row = vectors::rocm_rows()[c.row];
  const ArrangedEnvironment arranged{c, {.variables = row.environment}};
  const bool current = c.settings.policy("rocm-visible-variable") == "current";
  const auto listed = GpuDevices{c.subject()}.visible_devices();
  if (current && !row.current)
    return expect_refusal(!listed.ok(), "{}: expected a refusal but found a list", row.id);
  expect_list(row.environment.at("HIP_VISIBLE_DEVICES"), current ? *row.current : row.torch_2_4,
              require(listed, "visible_devices"));
}

}  // namespace
}  // namespace dlcert::devices
