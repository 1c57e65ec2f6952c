// SPDX-License-Identifier: Apache-2.0
#include "report/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <dlcert/suite/input_properties.hpp>

#include "records/decide.hpp"
#include "register/text.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {
namespace {

constexpr std::size_t shown_message = 100;  // bytes

bool has_same_parties(const RequirementResult& one, const RequirementResult& other) {
  return one.producer == other.producer && one.consumer == other.consumer;
}

// Between the same two libraries, or about the same library, in whatever role.
bool are_related(const RequirementResult& one, const RequirementResult& other) {
  if (has_same_parties(one, other)) return true;
  return !is_pair(one) && !is_pair(other) && tested_party(one) == tested_party(other);
}

// The broken or waived result of a requirement from which `follower` may follow: in its own role,
// else in another one of its library. NULL: there is none.
const RequirementResult* find_owner(const Results& results, const RequirementResult& follower,
                                    std::string_view requirement) {
  const RequirementResult* owner = nullptr;
  for (const RequirementResult& result : results.results) {
    if (result.requirement != requirement || !are_related(result, follower)) continue;
    if (!broken(result.verdict) && result.verdict != Verdict::waived) continue;
    if (owner == nullptr || has_same_parties(result, follower)) owner = &result;
  }
  return owner;
}

const CheckResult* first_broken_check(const RequirementResult& result) {
  const auto found = std::ranges::find_if(
      result.checks, [](const CheckResult& check) { return broken(check.verdict); });
  return found == result.checks.end() ? nullptr : &*found;
}

// The requirement from which each broken check follows; of several, that of the first. Empty: one
// follows from nothing, or none is broken.
std::string owner_of(const RequirementResult& result) {
  for (const CheckResult& check : result.checks)
    if (broken(check.verdict) && !check.consequence) return {};
  const CheckResult* const first = first_broken_check(result);
  return first == nullptr ? std::string{} : first->consequence->of;
}

bool is_by_experiment(const RequirementResult& result) {
  const CheckResult* const check = first_broken_check(result);
  return check != nullptr && check->consequence && !check->consequence->without.empty();
}

// Finds from which requirement each one follows, in the results before any verdict is changed.
class Chains {
 public:
  explicit Chains(const Results& results) : results_{results} {}

  // The end of the chain of owners. Of a circle, a requirement that follows by its assertion alone:
  // the others pass without it. Of several, that with the highest level, then the first by its ID.
  // NULL: it follows from nothing.
  const RequirementResult* root_of(const RequirementResult& result) const {
    std::vector<const RequirementResult*> chain;
    const RequirementResult* at = &result;
    while (std::ranges::find(chain, at) == chain.end()) {
      chain.push_back(at);
      const RequirementResult* const owner = find_owner(results_, result, owner_of(*at));
      if (owner == nullptr) return at == &result ? nullptr : at;
      at = owner;
    }
    const auto circle = std::ranges::find(chain, at);
    const RequirementResult* const first =
        *std::min_element(circle, chain.end(), [](const auto* one, const auto* other) {
          return std::tuple{is_by_experiment(*one), one->level,
                            std::string_view{one->requirement}} <
                 std::tuple{is_by_experiment(*other), other->level,
                            std::string_view{other->requirement}};
        });
    return first == &result ? nullptr : first;
  }

 private:
  const Results& results_;
};

bool corrupts(const RequirementResult& result, const Register& known) {
  const Requirement* const requirement = known.find(result.requirement);
  return result.verdict == Verdict::crash ||
         (requirement != nullptr && !requirement->about.empty());
}

// A crash is one fault. If it breaks a requirement that binds, it counts, under the name of its
// owner, and not once for each requirement that crashes there.
void let_count(RequirementResult& owner) {
  if (!broken(owner.verdict)) return;
  owner.binding = true;
  owner.grace.clear();
}

// How simple the smallest counterexample is.
double complexity(const RequirementResult& result) {
  constexpr std::size_t without_steps = 30;  // the process ended before it could report any
  double least = std::numeric_limits<double>::infinity();
  for (const CheckResult& check : result.checks) {
    if (!broken(check.verdict) || !check.record.counterexample) continue;
    const Counterexample& example = *check.record.counterexample;
    const auto count = [](auto n) { return static_cast<double>(n) + 1; };
    least = std::min(least, count(example.trace.empty() ? without_steps : example.trace.size()) *
                                count(example.choices.size()) * count(example.case_index));
  }
  return least;
}

template <typename Predicate>
std::vector<const RequirementResult*> simplest_first(const Results& results,
                                                     const Predicate& predicate) {
  std::vector<const RequirementResult*> chosen;
  for (const RequirementResult& result : results.results)
    if (predicate(result)) chosen.push_back(&result);
  std::ranges::stable_sort(chosen, {}, [](const auto* result) { return complexity(*result); });
  return chosen;
}

}  // namespace

const CheckResult* fault_check(const RequirementResult& result) {
  const auto found = std::ranges::find_if(result.checks, [](const CheckResult& check) {
    return broken(check.verdict) && !check.consequence;
  });
  return found == result.checks.end() ? first_broken_check(result) : &*found;
}

bool crash_alike(const RequirementResult& one, const RequirementResult& other) {
  const auto place_of = [](const CheckResult& check) {
    return check.verdict == Verdict::crash ? std::string_view{check.record.signature}
                                           : std::string_view{};
  };
  return std::ranges::any_of(one.checks, [&](const CheckResult& check) {
    const std::string_view place = place_of(check);
    return !place.empty() && std::ranges::find(other.checks, place, place_of) != other.checks.end();
  });
}

void apply_consequences(Results& results, const Register& known) {
  // A root keeps its verdict.
  std::vector<std::pair<RequirementResult*, const RequirementResult*>> followers;
  const Chains chains{results};
  for (RequirementResult& result : results.results)
    if (broken(result.verdict))
      if (const RequirementResult* const owner = chains.root_of(result))
        followers.emplace_back(&result, owner);
  for (const auto& [follower, owner] : followers)
    if (follower->binding && follower->grace.empty() && crash_alike(*follower, *owner))
      let_count(results.results[static_cast<std::size_t>(owner - results.results.data())]);
  for (const auto& [follower, owner] : followers) {
    RequirementResult& result = *follower;
    result.consequence_of = owner->requirement;
    result.verdict = decide_follower({.verdict = result.verdict,
                                      .binding = result.binding,
                                      .corrupts = corrupts(result, known),
                                      .owner_binding = owner->binding,
                                      .owner_too_new = !owner->grace.empty(),
                                      .owner_waived = owner->verdict == Verdict::waived});
    if (result.verdict == Verdict::consequence)
      result.reason = fmt::format("consequence of {}: {}", owner->requirement, proof_text(result));
    if (result.verdict == Verdict::waived) {
      result.waiver = owner->waiver;
      result.reason = fmt::format("with {}: {}", owner->requirement, owner->reason);
    }
  }
}

std::string Fault::id() const {
  const CheckResult* const check = fault_check(*broken);
  const bool by_crash =
      broken->verdict == Verdict::crash && check != nullptr && !check->record.signature.empty();
  const std::string& what = by_crash ? check->record.signature : broken->requirement;
  return is_pair(*broken)
             ? fmt::format("{}/{}/{}", what, broken->producer, broken->consumer)
             : fmt::format("{}/{}/{}", what, tested_party(*broken), to_text(tested_role(*broken)));
}

bool Fault::counts() const {
  return dlcert::counts(*broken) || std::ranges::any_of(consequences, [](const auto* result) {
           return dlcert::counts(*result);
         });
}

static bool is_by_assertion(const Fault& fault) {
  return std::ranges::any_of(fault.broken->checks, [](const CheckResult& check) {
    return check.verdict == Verdict::fail && !check.consequence;
  });
}

// An assertion shows that memory is wrong or released wrongly. Such a fault may end a process
// anywhere.
static bool explains_crashes(const Fault& fault) {
  const Requirement* const rule = Register::embedded().find(fault.broken->requirement);
  return fault.counts() && is_by_assertion(fault) && rule != nullptr &&
         (rule->about == "memory" || rule->about == "deletion");
}

std::vector<Fault> faults_of(const Results& results) {
  std::vector<Fault> faults;
  for (const RequirementResult* const result :
       simplest_first(results, [](const RequirementResult& one) {
         return broken(one.verdict) && one.consequence_of.empty();
       }))
    faults.push_back({result, consequences_of(results, *result)});
  const bool is_explained = std::ranges::any_of(faults, explains_crashes);
  std::ranges::stable_sort(faults, {}, [&](const Fault& fault) {
    const bool is_crash = fault.broken->verdict == Verdict::crash && !is_by_assertion(fault);
    return std::tuple{!fault.counts(), is_explained && is_crash,
                      -static_cast<std::ptrdiff_t>(fault.consequences.size())};
  });
  return faults;
}

std::vector<const RequirementResult*> consequences_of(const Results& results,
                                                      const RequirementResult& owner) {
  return simplest_first(results, [&](const RequirementResult& one) {
    return one.consequence_of == owner.requirement &&
           find_owner(results, one, owner.requirement) == &owner;
  });
}

std::string count_text(const std::vector<Fault>& faults) {
  std::set<std::string_view> affected;
  for (const Fault& fault : faults) {
    affected.insert(fault.broken->requirement);
    for (const RequirementResult* const result : fault.consequences)
      affected.insert(result->requirement);
  }
  return fmt::format("{} {}, {} {} affected", faults.size(),
                     faults.size() == 1 ? "fault" : "faults", affected.size(),
                     affected.size() == 1 ? "requirement" : "requirements");
}

std::string proof_text(const RequirementResult& result) {
  const CheckResult* const check = first_broken_check(result);
  if (check == nullptr || !check->consequence) return {};
  const Consequence& consequence = *check->consequence;
  if (!consequence.without.empty()) {
    std::vector<std::string_view> properties;
    for (const std::string& name : consequence.without)
      properties.push_back(to_text(input_property_from(name)));
    return fmt::format("passes without {} ({} {})", fmt::join(properties, " and "),
                       consequence.cases, consequence.cases == 1 ? "case" : "cases");
  }
  if (!check->record.signature.empty() && check->verdict == Verdict::crash)
    return fmt::format("the same crash: {}", check->record.signature);
  return "by its assertion: " + one_line(failure_text(*check), shown_message);
}

}  // namespace dlcert
