// SPDX-License-Identifier: Apache-2.0
#include "report/causes.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "register/names.hpp"

namespace dlcert {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

// ---- how simple a failure is --------------------------------------------------------------------

bool has_example(const CheckResult& check) {
  return broken(check.verdict) && check.record.counterexample.has_value();
}

double complexity(const RequirementResult& result) {
  constexpr std::size_t without_steps = 30;  // the process ended before it could tell any
  double least = std::numeric_limits<double>::infinity();
  for (const CheckResult& check : result.checks) {
    if (!has_example(check)) continue;
    const Counterexample& example = *check.record.counterexample;
    const auto count = [](auto n) { return static_cast<double>(n) + 1; };
    least = std::min(least, count(example.trace.empty() ? without_steps : example.trace.size()) *
                                count(example.choices.size()) * count(example.case_index));
  }
  return least;
}

// It fails at once, with nothing drawn that could be left out.
bool fails_at_once(const RequirementResult& result) {
  return std::ranges::any_of(result.checks, [](const CheckResult& check) {
    return has_example(check) && check.record.counterexample->case_index == 0 &&
           check.record.counterexample->choices.empty();
  });
}

// ---- one library's failures ---------------------------------------------------------------------

// One broken requirement, in whatever roles.
struct Failure {
  std::string requirement;
  std::vector<std::string> messages;
  std::set<std::size_t> expectations;  // of its messages
  double complexity = std::numeric_limits<double>::infinity();
  bool at_once = false;
  bool in_own_words = false;       // a message is about its own rule
  bool tells = false;              // so, or nothing that fails is known to be shown by a message
  std::size_t place = nowhere;     // how near the expectations say that it is
  std::set<std::size_t> rests_on;  // other failures
};

// The failures of one library, and which rests on which.
class Failures {
 public:
  Failures(const Results& results, const std::string& library, const CauseRules& rules);

  // Requirement -> that of its headline, where it has another one.
  std::map<std::string, std::string> causes() const;

 private:
  struct Place {
    std::size_t group, index;
  };
  // Where the expectation names the failure's requirement.
  std::optional<Place> place(const Failure& failure, std::size_t expectation) const;
  std::size_t expectation_of(std::string_view message) const;
  void add(const RequirementResult& result);
  void hear(Failure& failure) const;
  void rest_on_what_messages_show();
  void rest_on_what_is_written();
  std::vector<bool> reached_from(std::size_t failure) const;
  bool is_nearer(std::size_t one, std::size_t other) const;

  const CauseRules& rules_;
  std::vector<Failure> failures_;
};

Failures::Failures(const Results& results, const std::string& library, const CauseRules& rules)
    : rules_{rules} {
  for (const RequirementResult& result : results.results)
    if (broken(result.verdict) && tested_party(result) == library) add(result);
  for (Failure& failure : failures_)
    hear(failure);
  for (Failure& failure : failures_)
    failure.tells =
        failure.in_own_words || std::ranges::any_of(failure.expectations, [&](std::size_t heard) {
          return !rules_.expectations[heard].vague &&
                 std::ranges::none_of(failures_, [&](const Failure& other) {
                   return other.in_own_words && place(other, heard);
                 });
        });
  rest_on_what_messages_show();
  rest_on_what_is_written();
}

void Failures::add(const RequirementResult& result) {
  auto found = std::ranges::find(failures_, result.requirement, &Failure::requirement);
  if (found == failures_.end()) {
    found = failures_.emplace(failures_.end());
    found->requirement = result.requirement;
  }
  for (const CheckResult& check : result.checks)
    if (broken(check.verdict))
      found->messages.push_back(check.verdict == Verdict::fail
                                    ? check.record.message
                                    : std::string{to_text(check.verdict)});
  found->complexity = std::min(found->complexity, complexity(result));
  found->at_once |= fails_at_once(result);
}

std::size_t Failures::expectation_of(std::string_view message) const {
  const auto heard = std::ranges::find_if(
      rules_.expectations, [&](const Expectation& one) { return matches_any(message, one.says); });
  return heard == rules_.expectations.end()
             ? nowhere
             : static_cast<std::size_t>(heard - rules_.expectations.begin());
}

std::optional<Failures::Place> Failures::place(const Failure& failure,
                                               std::size_t expectation) const {
  std::size_t index = 0;
  const auto& groups = rules_.expectations[expectation].shows;
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (const Pattern& pattern : groups[group]) {
      if (matches_glob(pattern, failure.requirement)) return Place{group, index};
      ++index;
    }
  return std::nullopt;
}

// What its messages say: of its own rule, or of those of others.
void Failures::hear(Failure& failure) const {
  for (const std::string& message : failure.messages) {
    const std::size_t heard = expectation_of(message);
    if (heard == nowhere) {
      failure.in_own_words = true;
      continue;
    }
    failure.expectations.insert(heard);
    if (const auto found = place(failure, heard)) {
      failure.in_own_words = true;
      failure.place = std::min(failure.place, found->index);
    }
  }
  if (failure.in_own_words && failure.place == nowhere) failure.place = 0;
}

void Failures::rest_on_what_messages_show() {
  for (Failure& failure : failures_)
    for (const std::size_t heard : failure.expectations) {
      const auto own = place(failure, heard);
      if (!own && failure.tells) continue;
      for (std::size_t i = 0; i < failures_.size(); ++i) {
        const Failure& other = failures_[i];
        const auto shown = place(other, heard);
        if (&other == &failure || !other.tells || !shown) continue;
        const bool nearer = !own || shown->group < own->group;
        const bool as_near =
            own && shown->group == own->group && other.expectations.contains(heard);
        if (nearer || as_near) failure.rests_on.insert(i);
      }
    }
}

void Failures::rest_on_what_is_written() {
  for (const Dependence& rule : rules_.rests_on) {
    std::vector<std::size_t> resting, causes;
    for (std::size_t i = 0; i < failures_.size(); ++i) {
      const Failure& failure = failures_[i];
      const auto says = [&](const std::vector<Pattern>& patterns) {
        return [&](const std::string& message) { return matches_any(message, patterns); };
      };
      if (matches_any(failure.requirement, rule.requirements) &&
          std::ranges::all_of(failure.messages, says(rule.says)) &&
          std::ranges::none_of(failure.messages, says(rule.unless)))
        resting.push_back(i);
      if (failure.tells && matches_any(failure.requirement, rule.on) &&
          std::ranges::any_of(failure.messages, says(rule.where)))
        causes.push_back(i);
    }
    if (resting.size() < rule.at_least || causes.size() > rule.at_most) continue;
    for (const std::size_t one : resting)
      for (const std::size_t cause : causes)
        if (cause != one) failures_[one].rests_on.insert(cause);
  }
}

std::vector<bool> Failures::reached_from(std::size_t failure) const {
  std::vector<bool> reached(failures_.size());
  std::vector<std::size_t> open{failure};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (reached[at]) continue;
    reached[at] = true;
    open.insert(open.end(), failures_[at].rests_on.begin(), failures_[at].rests_on.end());
  }
  return reached;
}

// Among failures that rest on each other: that which tells of its rule, at once, from the nearest
// place, by the simplest counterexample.
bool Failures::is_nearer(std::size_t one, std::size_t other) const {
  const auto key = [&](const Failure& failure) {
    const auto place = static_cast<double>(failure.place);
    const auto [first, second] = failure.at_once ? std::pair{place, failure.complexity}
                                                 : std::pair{failure.complexity, place};
    return std::tuple{!failure.tells, !failure.at_once, first, second};
  };
  return key(failures_[one]) < key(failures_[other]);
}

std::map<std::string, std::string> Failures::causes() const {
  const std::size_t count = failures_.size();
  std::vector<std::vector<bool>> reached(count);
  for (std::size_t i = 0; i < count; ++i)
    reached[i] = reached_from(i);

  // The headline of those that rest on each other and on nothing else; of all others, nowhere.
  std::vector<std::size_t> headline(count, nowhere);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t nearest = i;
    bool rests_elsewhere = false;
    for (std::size_t j = 0; j < count; ++j) {
      if (!reached[i][j]) continue;
      rests_elsewhere |= !reached[j][i];
      if (is_nearer(j, nearest)) nearest = j;
    }
    if (!rests_elsewhere) headline[i] = nearest;
  }
  std::map<std::string, std::string> causes;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t cause = nowhere;
    for (std::size_t j = 0; j < count; ++j)
      if (reached[i][j] && headline[j] == j && (cause == nowhere || is_nearer(j, cause))) cause = j;
    if (cause != i && cause != nowhere)
      causes.emplace(failures_[i].requirement, failures_[cause].requirement);
  }
  return causes;
}

}  // namespace

namespace {

// Requirement -> that from which each of its broken checks of a library follows, proven.
using Proven = std::map<std::string, std::string>;

bool each_broken_check_follows(const RequirementResult& result) {
  return std::ranges::all_of(result.checks, [](const CheckResult& check) {
    return !broken(check.verdict) || check.consequence.has_value();
  });
}

Proven proven_causes(const Results& results, const std::string& library) {
  Proven causes;
  std::set<std::string> unproven;  // in another role
  for (const RequirementResult& result : results.results) {
    if (!broken(result.verdict) || tested_party(result) != library) continue;
    if (!each_broken_check_follows(result)) unproven.insert(result.requirement);
    for (const CheckResult& check : result.checks)
      if (check.consequence) causes.try_emplace(result.requirement, check.consequence->of);
  }
  std::erase_if(causes, [&](const auto& one) { return unproven.contains(one.first); });
  return causes;
}

// The end of the chain of consequences; of a circle, its first requirement by ID.
std::string root_of(const std::string& requirement, const Proven& causes) {
  std::set<std::string> passed;
  std::string at = requirement;
  while (causes.contains(at) && passed.insert(at).second)
    at = causes.at(at);
  if (!causes.contains(at)) return at;
  std::set<std::string> circle;
  while (circle.insert(at).second)
    at = causes.at(at);
  return *circle.begin();
}

// A cause that has a cause itself, by a guess, say, is replaced by that one: every failure is told
// under a headline.
void lead_to_headlines(Results& results) {
  std::map<std::string, Proven> causes;  // by library
  for (const RequirementResult& result : results.results)
    if (!result.cause.empty())
      causes[tested_party(result)].emplace(result.requirement, result.cause);
  for (RequirementResult& result : results.results) {
    if (result.cause.empty()) continue;
    result.cause = root_of(result.requirement, causes.at(tested_party(result)));
    if (result.cause == result.requirement) result.cause.clear();
  }
}

bool is_refuted(const RequirementResult& result, const std::string& cause) {
  return std::ranges::any_of(result.checks, [&](const CheckResult& check) {
    return std::ranges::find(check.refuted, cause) != check.refuted.end();
  });
}

}  // namespace

bool is_proven_consequence(const RequirementResult& result) {
  return broken(result.verdict) && !result.cause.empty() && each_broken_check_follows(result);
}

void find_causes(Results& results, const Register& known) {
  std::map<std::string, std::map<std::string, std::string>> causes;  // by library
  std::map<std::string, Proven> proven;                              // likewise
  for (const RequirementResult& result : results.results)
    if (const std::string& library = tested_party(result);
        broken(result.verdict) && !causes.contains(library)) {
      causes.emplace(library, Failures{results, library, known.cause_rules()}.causes());
      proven.emplace(library, proven_causes(results, library));
    }
  for (RequirementResult& result : results.results) {
    result.cause.clear();
    if (!broken(result.verdict)) continue;
    const Proven& of_proofs = proven.at(tested_party(result));
    if (of_proofs.contains(result.requirement)) {
      result.cause = root_of(result.requirement, of_proofs);
      if (result.cause != result.requirement) continue;
      result.cause.clear();
    }
    const auto& of_library = causes.at(tested_party(result));
    if (const auto found = of_library.find(result.requirement);
        found != of_library.end() && !is_refuted(result, found->second))
      result.cause = found->second;
  }
  lead_to_headlines(results);
}

std::vector<const RequirementResult*> simplest_first(const Results& results) {
  std::vector<const RequirementResult*> failures;
  for (const RequirementResult& result : results.results)
    if (broken(result.verdict)) failures.push_back(&result);
  std::ranges::stable_sort(failures, {}, [](const auto* result) { return complexity(*result); });
  return failures;
}

std::vector<const RequirementResult*> headlines(const Results& results) {
  std::vector<const RequirementResult*> failures = simplest_first(results);
  std::erase_if(failures, [](const auto* result) { return !result->cause.empty(); });
  const auto binds = [&](const RequirementResult* headline) {
    return headline->binding ||
           std::ranges::any_of(consequences(results, *headline), &RequirementResult::binding);
  };
  std::stable_partition(failures.begin(), failures.end(), binds);
  return failures;
}

std::vector<const RequirementResult*> consequences(const Results& results,
                                                   const RequirementResult& headline) {
  std::vector<const RequirementResult*> failures = simplest_first(results);
  std::erase_if(failures, [&](const auto* result) {
    return result->cause != headline.requirement || tested_party(*result) != tested_party(headline);
  });
  return failures;
}

}  // namespace dlcert
