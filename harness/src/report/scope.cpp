// SPDX-License-Identifier: Apache-2.0
#include "report/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "register/enum_texts.hpp"
#include "register/features.hpp"
#include "report/results.hpp"
#include "report/summary.hpp"

namespace dlcert {
namespace {

constexpr std::array<std::string_view, 3> coverage_texts{"full", "partial", "not claimed"};

// What one requirement's checks say of one feature.
struct Row {
  const Requirement* requirement = nullptr;
  Verdict verdict = Verdict::not_applicable;
  bool waived = false;
  bool follows = false;      // its failure is a consequence, which is no failure of its own
  bool by_platform = false;  // a feature of its own covers it too: it counts here by its devices
  bool too_new = false;      // dlcert does not hold the library to it yet
  bool applies = true;       // the library could have been tested by it
  std::string reason;

  // Whatever a waiver says of it.
  bool was_judged() const {
    return broken(verdict) || verdict == Verdict::pass || verdict == Verdict::flaky;
  }
  bool tested() const { return !waived && was_judged(); }
};

// What does not apply needs a function that the library lacks, or is about what it does not claim.
// What it declined, and what could have taken any tensor, applies.
bool applies(const CheckResult& check) {
  return check.verdict != Verdict::not_applicable || check.record.declined != 0 ||
         check.record.no_tensor != 0;
}

using Rows = std::vector<Row>;

// The rows of one adapter in one role, by feature.
class RoleRows {
 public:
  RoleRows(const Results& results, const Register& known, const RoleScope& of)
      : known_{known}, role_{of.role} {
    for (const RequirementResult& result : results.results)
      if (tested_party(result) == of.adapter && tested_role(result) == of.role) add(result);
  }

  FeatureScope scope_of(const Feature& feature, const std::string& adapter) const;
  CoreScope core() const;

 private:
  void add(const RequirementResult& result);
  void add(const Requirement& requirement, const RequirementResult& result,
           const std::vector<const CheckResult*>& checks, const Feature& feature);
  bool is_claimed(const Feature& feature) const;
  bool is_wanted(const Row& row) const;
  const Rows& rows_of(const Feature& feature) const;

  const Register& known_;
  Role role_;
  std::map<std::string, Rows, std::less<>> rows_;
};

void RoleRows::add(const RequirementResult& result) {
  const Requirement* const requirement = known_.find(result.requirement);
  if (requirement == nullptr) return;
  std::map<const Feature*, std::vector<const CheckResult*>> checks;
  for (const CheckResult& check : result.checks)
    for (const Feature* const feature : features_of(known_, *requirement, role_, check.platform))
      checks[feature].push_back(&check);
  if (result.checks.empty())
    for (const Feature* const feature : features_of(known_, *requirement, role_, Platform::any))
      checks[feature];
  for (const auto& [feature, of_feature] : checks)
    add(*requirement, result, of_feature, *feature);
}

void RoleRows::add(const Requirement& requirement, const RequirementResult& result,
                   const std::vector<const CheckResult*>& checks, const Feature& feature) {
  Row row{.requirement = &requirement,
          .verdict = result.verdict,
          .waived = result.verdict == Verdict::waived,
          .follows = result.verdict == Verdict::consequence,
          .by_platform = !is_part_of(known_, requirement, feature.id),
          .too_new = !result.grace.empty(),
          .applies = result.verdict != Verdict::not_applicable,
          .reason = result.reason};
  std::vector<CheckResult> judged;
  for (const CheckResult* const check : checks)
    if (!check->fact || feature.kind == FeatureKind::always) judged.push_back(*check);
  if (!judged.empty()) {
    row.verdict = decide_requirement(true, judged_checks(judged), Waiving::none);
    row.applies = std::ranges::any_of(judged, applies);
    const auto decisive = std::ranges::find(judged, row.verdict, &CheckResult::verdict);
    if (decisive != judged.end() && !decisive->reason.empty()) row.reason = decisive->reason;
  } else if (!checks.empty()) {
    row.verdict = Verdict::not_applicable;
    row.applies = false;
    row.reason = "only statements of the library about itself were tested";
  }
  if (row.waived) row.reason = "waived";
  rows_[feature.id].push_back(std::move(row));
}

const Rows& RoleRows::rows_of(const Feature& feature) const {
  static const Rows none;
  const auto found = rows_.find(feature.id);
  return found == rows_.end() ? none : found->second;
}

bool RoleRows::is_claimed(const Feature& feature) const {
  if (feature.kind == FeatureKind::shared)
    return std::ranges::any_of(feature.counted_in, [&](const std::string& id) {
      const Feature* const other = known_.find_feature(id);
      return other != nullptr && is_claimed(*other);
    });
  const bool shown = std::ranges::any_of(rows_of(feature), [&](const Row& row) {
    return (row.tested() || row.waived) && shows(feature, *row.requirement, role_);
  });
  if (shown || feature.claimed_with.empty()) return shown;
  const Feature* const with = known_.find_feature(feature.claimed_with);
  return with != nullptr && is_claimed(*with);
}

// What is not tested is missing, unless the feature is whole without it. On a vendor's devices only
// what the library claims at all can be missing.
bool RoleRows::is_wanted(const Row& row) const {
  if (row.tested()) return true;
  if (row.too_new || is_optional(known_, *row.requirement, role_)) return false;
  const Feature* const own = known_.find_feature(row.requirement->feature);
  return !row.by_platform || own == nullptr || is_claimed(*own);
}

FeatureScope RoleRows::scope_of(const Feature& feature, const std::string& adapter) const {
  FeatureScope scope{.adapter = adapter, .role = role_, .feature = feature.id, .missing = {}};
  if (!is_claimed(feature)) return scope;
  for (const Row& row : rows_of(feature)) {
    if (!is_wanted(row)) continue;
    ++scope.of;
    if (row.tested())
      ++scope.tested;
    else
      scope.missing.push_back({row.requirement->id, row.reason});
    if (broken(row.verdict) && !row.waived && !row.follows) ++scope.failed;
  }
  scope.coverage = scope.missing.empty() ? Coverage::full : Coverage::partial;
  return scope;
}

// A library is measured by what it does in host memory; one of which nothing was tested there, by
// what it does on a vendor's devices. A failure that a waiver accepts was tested too.
CoreScope RoleRows::core() const {
  std::map<Platform, CoreScope> measures{{Platform::any, {}}};
  for (const Feature& feature : known_.features()) {
    if (!feature.core || !feature.has(role_)) continue;
    CoreScope& measure = measures[feature.platform];
    for (const Row& row : rows_of(feature)) {
      if (!row.applies || !is_wanted(row)) continue;
      ++measure.of;
      if (row.was_judged()) ++measure.tested;
    }
  }
  const auto tested = std::ranges::find_if(
      measures, [](const auto& measure) { return measure.second.tested != 0; });
  return tested == measures.end() ? measures.at(Platform::any) : tested->second;
}

std::vector<RoleScope> roles_of(const AdapterInfo& adapter, const Results& results) {
  std::vector<RoleScope> roles;
  if (adapter.producer) roles.push_back({adapter.name, Role::producer, {}, {}});
  if (adapter.consumer) roles.push_back({adapter.name, Role::consumer, {}, {}});
  if (adapter.enumerates && judges_runtimes(results))
    roles.push_back({adapter.name, Role::runtime, {}, {}});
  return roles;
}

void add_evidence(RoleScope& role, const Results& results) {
  for (const RequirementResult& result : results.results) {
    if (tested_party(result) != role.adapter || tested_role(result) != role.role) continue;
    for (const CheckResult& check : result.checks) {
      if (check.fact) continue;
      const EvidenceCounts& shown = check.record.evidence;
      role.evidence.made += shown.made;
      role.evidence.handed_over += shown.handed_over;
      role.evidence.found += shown.found;
      role.evidence.by_export += shown.by_export;
    }
  }
}

}  // namespace

std::string_view to_text(Coverage coverage) {
  return coverage_texts.at(static_cast<std::size_t>(coverage));
}

Coverage coverage_from_text(std::string_view text) {
  return enum_from_text<Coverage>(text, coverage_texts, "coverage");
}

std::vector<RoleScope> evidence_of(const Results& results) {
  std::vector<RoleScope> roles;
  for (const AdapterInfo& adapter : results.adapters) {
    for (RoleScope& role : roles_of(adapter, results)) {
      add_evidence(role, results);
      roles.push_back(std::move(role));
    }
  }
  return roles;
}

Scope scope_of(const Results& results, const Register& known) {
  Scope scope{evidence_of(results), {}};
  for (RoleScope& role : scope.roles) {
    const RoleRows rows{results, known, role};
    if (!results.filtered) role.core = rows.core();
    for (const Feature& feature : known.features()) {
      const bool shown =
          feature.kind == FeatureKind::claimable || feature.kind == FeatureKind::always;
      if (!shown || !feature.has(role.role)) continue;
      FeatureScope one = rows.scope_of(feature, role.adapter);
      // A selection may have left out what shows it.
      if (results.filtered && one.coverage == Coverage::not_claimed) continue;
      scope.features.push_back(std::move(one));
    }
  }
  return scope;
}

std::string core_text(const CoreScope& core) {
  return fmt::format("{} of {} requirements of its core features", core.tested, core.of);
}

std::string feature_text(const FeatureScope& feature, std::size_t shown) {
  const std::string failed =
      feature.failed == 0 ? std::string{} : fmt::format("{} failed", feature.failed);
  if (feature.coverage != Coverage::partial)
    return failed.empty() ? feature.feature : fmt::format("{} ({})", feature.feature, failed);
  std::vector<std::string> missing;
  for (const Untested& one : feature.missing) {
    if (missing.size() == shown) break;
    missing.push_back(one.reason.empty() ? one.requirement
                                         : fmt::format("{}: {}", one.requirement, one.reason));
  }
  if (feature.missing.size() > shown) missing.emplace_back("...");
  return fmt::format("{} ({} of {}{}{}; {})", feature.feature, feature.tested, feature.of,
                     failed.empty() ? "" : ", ", failed, fmt::join(missing, "; "));
}

std::string coverage_text(const FeatureScope& feature, std::size_t shown) {
  if (feature.coverage == Coverage::partial)
    return fmt::format("partial: {}", feature_text(feature, shown));
  return feature.failed == 0
             ? std::string{to_text(feature.coverage)}
             : fmt::format("{}, {} failed", to_text(feature.coverage), feature.failed);
}

}  // namespace dlcert
