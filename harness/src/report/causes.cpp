// SPDX-License-Identifier: Apache-2.0
#include "report/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <string_view>

namespace dlcert {
namespace {

double complexity(const RequirementResult& result) {
  double least = std::numeric_limits<double>::infinity();
  for (const CheckResult& check : result.checks) {
    const auto& example = check.record.counterexample;
    if (!broken(check.verdict) || !example) continue;
    const auto count = [](auto n) { return static_cast<double>(n) + 1; };
    least = std::min(least, count(example->trace.size()) * count(example->choices.size()) *
                                count(example->case_index));
  }
  return least;
}

// A number, an address or bytes: what differs from case to case.
bool is_value(std::string_view word) {
  const auto is = [](int (&kind)(int), char c) { return kind(static_cast<unsigned char>(c)) != 0; };
  return is(std::isdigit, word.front()) ||
         (word.size() >= 6 &&
          std::ranges::all_of(word, [&](char c) { return is(std::isxdigit, c); }));
}

// A message without values.
std::string shape_of(std::string_view message) {
  std::string shape;
  while (!message.empty()) {
    const auto end = std::ranges::find_if_not(
        message, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
    const auto length = static_cast<std::size_t>(end - message.begin());
    const std::string_view word = message.substr(0, std::max(length, std::size_t{1}));
    shape += length != 0 && is_value(word) ? "#" : word;
    message.remove_prefix(word.size());
  }
  return shape;
}

// "lib.import_managed" of "t1 = lib.import_managed(m1)".
std::string_view call_of(std::string_view step) {
  if (const std::size_t made = step.find(" = "); made != std::string_view::npos)
    step.remove_prefix(made + 3);
  return step.substr(0, step.find('('));
}

// The messages of its broken checks without values, and of a crash the call that it ended in.
std::set<std::string> shapes_of(const RequirementResult& result) {
  std::set<std::string> shapes;
  for (const CheckResult& check : result.checks) {
    if (!broken(check.verdict) || check.record.message.empty()) continue;
    std::string shape = shape_of(check.record.message);
    const auto& example = check.record.counterexample;
    if (check.verdict != Verdict::fail && example && !example->trace.empty())
      shape += fmt::format(" in {}", call_of(example->trace.back()));
    shapes.insert(std::move(shape));
  }
  return shapes;
}

}  // namespace

std::vector<const RequirementResult*> simplest_first(const Results& results) {
  std::vector<const RequirementResult*> failures;
  for (const RequirementResult& result : results.results)
    if (broken(result.verdict)) failures.push_back(&result);
  std::ranges::stable_sort(failures, {}, [](const auto* result) { return complexity(*result); });
  return failures;
}

std::set<std::string> with_same_message(const Results& results, const RequirementResult& result) {
  std::set<std::string> others;
  if (!broken(result.verdict)) return others;
  const std::set<std::string> shapes = shapes_of(result);
  for (const RequirementResult& other : results.results)
    if (broken(other.verdict) && other.requirement != result.requirement &&
        tested_party(other) == tested_party(result) &&
        std::ranges::any_of(shapes_of(other),
                            [&](const std::string& shape) { return shapes.contains(shape); }))
      others.insert(other.requirement);
  return others;
}

}  // namespace dlcert
