// SPDX-License-Identifier: Apache-2.0
//
// The register is whole: every entry is well-formed, every check belongs to one, and nothing that
// can be tested is left out.

#include "register/register.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include <dlcert/suite/check.hpp>
#include <nlohmann/json.hpp>

#include "register/embedded.hpp"
#include "register/features.hpp"
#include "register/rules.hpp"
#include "suite.hpp"

namespace dlcert {
namespace {

// The areas that are built, as requirements name them.
std::set<std::string> areas() {
  std::istringstream names{DLCERT_AREAS};
  return {std::istream_iterator<std::string>{names}, {}};
}

const Register& known() {
  return Register::embedded();
}

const Suite& suite() {
  static const Suite all = all_checks();
  return all;
}

// The roles in which an entry has to be checked. A runtime is neither: one check in either role
// will do.
std::set<std::string_view> roles_of(const Requirement& requirement) {
  if (requirement.role == "both") return {"producer", "consumer"};
  if (requirement.role == "runtime") return {};
  return {requirement.role};
}

std::map<std::string_view, std::set<std::string_view>> checked_roles() {
  std::map<std::string_view, std::set<std::string_view>> roles;
  for (const Check& check : suite().checks())
    roles[check.requirement].insert(to_text(check.role));
  return roles;
}

bool is_checkable(const Requirement& requirement) {
  return requirement.c_level == "yes" && requirement.excused.empty();
}

TEST(Register, HasUniqueIds) {
  std::set<std::string_view> ids;
  for (const Requirement& requirement : known().requirements())
    EXPECT_TRUE(ids.insert(requirement.id).second) << requirement.id;
}

TEST(Register, HasTheAreasThatAreBuilt) {
  std::set<std::string> found;
  for (const Requirement& requirement : known().requirements())
    found.insert(requirement.area);
  EXPECT_EQ(found, areas());
}

TEST(Register, GivesEveryEntryASourceAStatementAndATest) {
  for (const Requirement& requirement : known().requirements()) {
    EXPECT_FALSE(requirement.source.empty()) << requirement.id;
    EXPECT_FALSE(requirement.statement.empty()) << requirement.id;
    EXPECT_FALSE(requirement.how_to_test.empty()) << requirement.id;
    EXPECT_FALSE(requirement.since.empty()) << requirement.id;
  }
}

TEST(Register, HasNoRuleOfALaterVersionThanThisProject) {
  const std::string version = DLCERT_VERSION;
  EXPECT_EQ(known_rules().back(), version.substr(0, version.rfind('.')))
      << "known_rules() of rules.cpp names each minor version";
  EXPECT_TRUE(std::ranges::is_sorted(known_rules(), [](const auto& one, const auto& other) {
    return is_before(version_from_text(one), version_from_text(other));
  }));
  for (const Requirement& requirement : known().requirements()) {
    EXPECT_NO_THROW(rules_from_text(requirement.added)) << requirement.id;
    for (const Tightening& change : requirement.tightened)
      EXPECT_NO_THROW(rules_from_text(change.in)) << requirement.id;
  }
}

TEST(Register, KnowsEveryPolicyAndUsesIt) {
  std::set<std::string_view> used;
  for (const Requirement& requirement : known().requirements()) {
    if (requirement.policy.empty()) continue;
    EXPECT_NE(known().find_policy(requirement.policy), nullptr) << requirement.id;
    used.insert(requirement.policy);
  }
  for (const Policy& policy : known().policies())
    EXPECT_TRUE(used.contains(policy.name)) << policy.name;
}

TEST(Policies, HaveADefaultAndSayWhatEachValueMeans) {
  for (const Policy& policy : known().policies()) {
    EXPECT_TRUE(policy.values.contains(policy.default_value)) << policy.name;
    EXPECT_GE(policy.values.size(), 2u) << policy.name;
    EXPECT_TRUE(policy.question.ends_with("?")) << policy.name;
    for (const auto& [value, meaning] : policy.values)
      EXPECT_FALSE(meaning.empty()) << policy.name << "=" << value;
  }
}

TEST(Policies, OfASetDifferFromTheDefault) {
  for (const Policy& policy : known().policies())
    for (const auto& [set, chosen] : policy.sets)
      EXPECT_NE(chosen.value, policy.default_value) << policy.name << " in " << set;
}

TEST(Policies, OfInteropNameTheBugThatTaughtThem) {
  std::set<std::string> bugs;
  for (const nlohmann::json& bug : nlohmann::json::parse(embedded_text("bugs.json")))
    bugs.insert(bug.at("id"));
  std::size_t taught = 0;
  for (const Policy& policy : known().policies()) {
    const auto interop = policy.sets.find("interop");
    if (interop == policy.sets.end()) continue;
    EXPECT_TRUE(bugs.contains(interop->second.bug)) << policy.name << ": " << interop->second.bug;
    ++taught;
  }
  EXPECT_GE(taught, 10u);
}

TEST(Checks, BelongToKnownRequirementsThatCanBeTested) {
  for (const Check& check : suite().checks()) {
    const Requirement* requirement = known().find(check.requirement);
    ASSERT_NE(requirement, nullptr) << check.requirement;
    EXPECT_EQ(requirement->c_level, "yes") << check.requirement;
    EXPECT_EQ(requirement->excused, "") << check.requirement;
  }
}

TEST(Checks, TestARoleThatTheirRequirementIsAbout) {
  for (const Check& check : suite().checks()) {
    const Requirement* requirement = known().find(check.requirement);
    ASSERT_NE(requirement, nullptr) << check.requirement;
    // A pair has both roles.
    if (requirement->role == "runtime" || check.pair) continue;
    EXPECT_TRUE(roles_of(*requirement).contains(to_text(check.role)))
        << check.requirement << ": " << check.sentence;
  }
}

TEST(Checks, HaveANameAndASentenceOfTheirOwnAndABody) {
  std::set<std::tuple<std::string_view, std::string_view, Role>> sentences;
  std::set<std::tuple<std::string_view, std::string_view, Role, Platform>> names;
  for (const Check& check : suite().checks()) {
    EXPECT_FALSE(check.name.empty()) << check.requirement << ": " << check.sentence;
    EXPECT_TRUE(names.insert({check.requirement, check.name, check.role, check.platform}).second)
        << check.requirement << ": another check is called " << check.name
        << " too: " << check.sentence;
    EXPECT_TRUE(sentences.insert({check.requirement, check.sentence, check.role}).second)
        << check.requirement << ": " << check.sentence;
    EXPECT_NE(check.body, nullptr) << check.requirement;
    EXPECT_FALSE(check.sentence.empty()) << check.requirement;
    EXPECT_FALSE(check.sentence.ends_with(".")) << check.requirement << ": " << check.sentence;
  }
}

TEST(Coverage, LeavesNoTestableRequirementOut) {
  const auto checked = checked_roles();
  for (const Requirement& requirement : known().requirements()) {
    if (!is_checkable(requirement)) continue;
    const auto found = checked.find(requirement.id);
    ASSERT_NE(found, checked.end()) << requirement.id;
    for (const std::string_view role : roles_of(requirement))
      EXPECT_TRUE(found->second.contains(role)) << requirement.id << " as " << role;
  }
}

TEST(Coverage, ExcusesOnlyWhatCouldBeTested) {
  for (const Requirement& requirement : known().requirements())
    if (!requirement.excused.empty()) {
      EXPECT_EQ(requirement.c_level, "yes") << requirement.id;
    }
}

TEST(Features, HoldEachRequirementOnceInARoleOfTheirs) {
  std::map<std::string_view, std::size_t> sizes;
  for (const Requirement& requirement : known().requirements()) {
    const Feature* const feature = known().find_feature(requirement.feature);
    ASSERT_NE(feature, nullptr) << requirement.id;
    ++sizes[feature->id];
    if (requirement.role == "runtime") continue;  // its checks say in which role
    EXPECT_TRUE(std::ranges::any_of(
        feature->roles, [&](Role role) { return roles_of(requirement).contains(to_text(role)); }))
        << requirement.id << " in " << feature->id;
  }
  std::size_t sum = 0;
  for (const Feature& feature : known().features()) {
    EXPECT_GT(sizes[feature.id], 0u) << feature.id;
    sum += sizes[feature.id];
  }
  EXPECT_EQ(sum, known().requirements().size());
  EXPECT_GE(sum, 355u);
}

TEST(Features, SayInEachRoleWhatClaimsThem) {
  std::set<std::string_view> kinds;
  for (const Feature& feature : known().features()) {
    for (const Role role : feature.roles) {
      const auto claim = feature.claims.find(role);
      if (feature.kind == FeatureKind::elsewhere)
        EXPECT_EQ(claim, feature.claims.end()) << feature.id;
      else
        EXPECT_TRUE(claim != feature.claims.end() && (claim->second.all | claim->second.any) != 0)
            << feature.id << " as " << to_text(role);
    }
    for (const auto& [role, claim] : feature.claims)
      EXPECT_TRUE(feature.has(role)) << feature.id << " as " << to_text(role);
    EXPECT_EQ(feature.kind == FeatureKind::shared, !feature.counted_in.empty()) << feature.id;
    for (const std::string& other : feature.counted_in)
      EXPECT_EQ(known().find_feature(other)->kind, FeatureKind::claimable) << feature.id;
    kinds.insert(feature.specs.begin(), feature.specs.end());
  }
  for (const auto& [kind, specs] : known().spec_kinds())
    EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST(Features, HaveTheRoleOfEachCheckThatCountsForThem) {
  for (const Check& check : suite().checks()) {
    const Requirement* const requirement = known().find(check.requirement);
    ASSERT_NE(requirement, nullptr) << check.requirement;
    for (const Feature* feature : features_of(known(), *requirement, check.role, check.platform)) {
      EXPECT_TRUE(feature->has(check.role))
          << feature->id << ": " << check.requirement << ": " << check.sentence;
      EXPECT_TRUE(feature->kind == FeatureKind::claimable || feature->kind == FeatureKind::always)
          << feature->id << ": " << check.requirement << ": " << check.sentence;
    }
  }
}

// What shows a feature is tested somewhere for it, in each of its roles.
TEST(Features, CanBeShownInEachRole) {
  std::set<std::tuple<std::string_view, Role>> shown;
  for (const Check& check : suite().checks()) {
    const Requirement& requirement = *known().find(check.requirement);
    for (const Feature* feature : features_of(known(), requirement, check.role, check.platform))
      if (shows(*feature, requirement, check.role)) shown.insert({feature->id, check.role});
  }
  for (const Feature& feature : known().features()) {
    if (feature.kind != FeatureKind::claimable) continue;
    const std::string_view by = feature.claimed_with.empty() ? feature.id : feature.claimed_with;
    for (const Role role : feature.roles)
      EXPECT_TRUE(shown.contains({by, role})) << feature.id << " as " << to_text(role);
  }
}

// Every role has a core feature without a platform.
TEST(Features, HaveACoreInEachRole) {
  for (const Role role : {Role::producer, Role::consumer, Role::runtime})
    EXPECT_TRUE(std::ranges::any_of(known().features(), [&](const Feature& feature) {
      return feature.core && feature.platform == Platform::any && feature.has(role);
    })) << to_text(role);
  for (const Feature& feature : known().features())
    EXPECT_TRUE(!feature.core || feature.kind == FeatureKind::claimable) << feature.id;
}

TEST(Features, LeaveOnlyWhatNoCheckTestsElsewhere) {
  for (const Requirement& requirement : known().requirements())
    EXPECT_EQ(requirement.c_level != "yes",
              known().find_feature(requirement.feature)->kind == FeatureKind::elsewhere)
        << requirement.id;
}

}  // namespace
}  // namespace dlcert
