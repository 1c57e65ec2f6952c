// SPDX-License-Identifier: Apache-2.0
//
// The register is whole: every entry is well-formed, every check belongs to one, and nothing that
// can be tested is left out.

#include "register/register.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include <dlcert/suite/check.hpp>

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

std::string_view to_text(Role role) {
  constexpr std::string_view texts[] = {"producer", "consumer", "runtime"};
  return texts[static_cast<std::size_t>(role)];
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
    if (requirement->role == "runtime") continue;
    EXPECT_TRUE(roles_of(*requirement).contains(to_text(check.role)))
        << check.requirement << ": " << check.sentence;
  }
}

TEST(Checks, HaveASentenceOfTheirOwnAndABody) {
  std::set<std::tuple<std::string_view, std::string_view, Role>> sentences;
  for (const Check& check : suite().checks()) {
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

}  // namespace
}  // namespace dlcert
