// SPDX-License-Identifier: Apache-2.0
#include "report/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace dlcert {
namespace {

constexpr std::array<std::string_view, verdict_count> verdict_texts{
    "pass",  "fail",   "crash",           "timeout",        "inconclusive",
    "flaky", "waived", "unexpected pass", "not applicable", "not run"};
constexpr std::array<std::string_view, 3> level_texts{"MUST", "SHOULD", "MAY"};

template <typename Enum, std::size_t size>
Enum from_text(std::string_view text, const std::array<std::string_view, size>& texts,
               std::string_view what) {
  const auto found = std::ranges::find(texts, text);
  if (found == texts.end())
    throw std::runtime_error{
        fmt::format("expected a {} ({}) but found '{}'", what, fmt::join(texts, ", "), text)};
  return static_cast<Enum>(found - texts.begin());
}

struct NamedProperty {
  std::uint32_t bit;
  std::string_view name;
};
constexpr std::array named_properties{
    NamedProperty{DLCERT_FAITHFUL_ERRORS, "faithful errors"},
    NamedProperty{DLCERT_THREAD_SAFE, "thread safe"},
    NamedProperty{DLCERT_FAILED_IMPORT_CONSUMES, "failed import consumes"},
    NamedProperty{DLCERT_KNOWS_READ_ONLY, "knows read-only"},
    NamedProperty{DLCERT_PASSES_CODES_THROUGH, "passes codes through"},
};

}  // namespace

std::vector<std::string> property_names(std::uint32_t properties) {
  std::vector<std::string> names;
  for (const NamedProperty& property : named_properties)
    if ((properties & property.bit) != 0) names.emplace_back(property.name);
  return names;
}

std::uint32_t property_from_name(std::string_view name) {
  const auto found = std::ranges::find(named_properties, name, &NamedProperty::name);
  if (found == named_properties.end())
    throw std::runtime_error{fmt::format("expected a property but found '{}'", name)};
  return found->bit;
}

std::string_view to_text(Verdict verdict) {
  return verdict_texts.at(static_cast<std::size_t>(verdict));
}
std::string_view to_text(Level level) {
  return level_texts.at(static_cast<std::size_t>(level));
}

Verdict verdict_from_text(std::string_view text) {
  return from_text<Verdict>(text, verdict_texts, "verdict");
}
Level level_from_text(std::string_view text) {
  return from_text<Level>(text, level_texts, "level");
}

const std::string& tested_party(const RequirementResult& result) {
  return tested_role(result) == Role::consumer ? result.consumer : result.producer;
}

Role tested_role(const RequirementResult& result) {
  if (result.consumer.empty()) return Role::runtime;
  return result.producer == own_name ? Role::consumer : Role::producer;
}

std::string failure_text(const CheckResult& check) {
  const std::string& text =
      check.record.message.empty() ? check.record.reason : check.record.message;
  return text.substr(0, text.find('\n'));
}

bool broken(Verdict verdict) {
  return verdict == Verdict::fail || verdict == Verdict::crash || verdict == Verdict::timeout;
}

Verdict worst(const std::vector<CheckResult>& checks) {
  constexpr std::array order{Verdict::crash,        Verdict::timeout,       Verdict::fail,
                             Verdict::inconclusive, Verdict::flaky,         Verdict::not_run,
                             Verdict::pass,         Verdict::not_applicable};
  for (const Verdict verdict : order)
    if (std::ranges::find(checks, verdict, &CheckResult::verdict) != checks.end()) return verdict;
  return Verdict::not_run;
}

}  // namespace dlcert
