// SPDX-License-Identifier: Apache-2.0
#include "register/rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace dlcert {
namespace {

constexpr std::string_view policies = R"({"policies": [{"name": "taste", "question": "Which?",
  "default": "sweet", "values": {"sweet": "one", "sour": "other"}}]})";
constexpr std::string_view features =
    R"({"spec_kinds": {}, "features": [{"id": "f", "title": "", "meaning": "", "roles": []}]})";

std::string row(const std::string& id, const std::string& level, const std::string& history) {
  return R"({"id": "a.)" + id + R"(", "area": "a", "feature": "f", "level": ")" + level +
         R"(", "role": "both", "since": "DLPack 0.2", "until": "", )" + history +
         R"(, "statement": "", "source": "", "how_to_test": "", "ambiguity": "", "c_level": "yes",
         "policy": "taste"})";
}

Register register_of(const std::string& rows) {
  const std::string area = R"({"area": "a", "requirements": [)" + rows + "]}";
  return Register::parse(std::array{Register::Source{"a.json", area}}, {"policies.json", policies},
                         {"features.json", features});
}

// Rows of 0.1 and 0.2, and three that 0.2 made stricter.
const Register& known() {
  static const Register rows = register_of(
      row("old", "MUST", R"("added": "0.1")") + "," + row("new", "MUST", R"("added": "0.2")") +
      "," + row("new-may", "MAY", R"("added": "0.2")") + "," +
      row("raised", "MUST",
          R"("added": "0.1", "tightened": [{"in": "0.2", "before": "SHOULD", "why": "a bug"}])") +
      "," +
      row("checked", "MUST",
          R"("added": "0.1", "tightened": [{"in": "0.2", "why": "it looks twice"}])") +
      "," +
      row("twice", "MUST",
          R"("added": "0.1", "tightened": [{"in": "0.2", "before": "MAY", "why": "x"},
                                           {"in": "0.3", "before": "SHOULD", "why": "y"}])"));
  return rows;
}

const RulesVersion first{"0.1"}, second{"0.2"}, third{"0.3"};
const RulesVersion chosen_first{"0.1", true}, chosen_second{"0.2", true};

Standing standing(const char* id, const RulesVersion& rules, bool strict = false,
                  const PolicyNames& chosen = {}) {
  Settings settings;
  settings.policies = {{"taste", "sweet"}};
  return standing_of(*known().find(id), {"1.3", "none", "none"}, settings, {strict, chosen, rules});
}

// "MUST binds", "MUST warns: why".
std::string text_of(const Standing& standing) {
  std::string text{to_text(standing.level)};
  text += standing.binding ? " binds" : " warns";
  return standing.grace.empty() ? text : text + ": " + standing.grace;
}

TEST(Rules, OfTheFirstVersionAllBind) {
  EXPECT_EQ(text_of(standing("a.old", first)), "MUST binds");
}

TEST(Rules, ThatAreNewWarnForOneMinorVersion) {
  EXPECT_EQ(text_of(standing("a.old", second)), "MUST binds");
  EXPECT_EQ(text_of(standing("a.new", second)),
            "MUST warns: new in dlcert 0.2: it binds from dlcert 0.3 on");
  EXPECT_EQ(text_of(standing("a.new", third)), "MUST binds");
  EXPECT_EQ(text_of(standing("a.new-may", second)), "MAY warns: new in dlcert 0.2");
  EXPECT_EQ(text_of(standing("a.new-may", third)), "MAY warns");
}

TEST(Rules, ThatAreNewWarnWhateverElseBinds) {
  EXPECT_FALSE(standing("a.new", second, true).binding) << "--strict";
  EXPECT_FALSE(standing("a.new", second, false, {"taste"}).binding) << "a policy";
}

TEST(Rules, AllBindInAVersionThatWasAskedFor) {
  EXPECT_EQ(text_of(standing("a.new", chosen_second)), "MUST binds");
  EXPECT_EQ(text_of(standing("a.raised", chosen_second)), "MUST binds");
  EXPECT_EQ(text_of(standing("a.checked", chosen_second)), "MUST binds");
}

TEST(Rules, OfAnEarlierVersionHaveItsRequirementsAndLevels) {
  const Standards standards{"1.3", "none", "none"};
  EXPECT_EQ(left_out(*known().find("a.new"), standards, chosen_first), "since dlcert 0.2");
  EXPECT_EQ(left_out(*known().find("a.new"), standards, chosen_second), "");
  EXPECT_EQ(left_out(*known().find("a.old"), standards, chosen_first), "");
  EXPECT_TRUE(is_later(*known().find("a.new"), first));
  EXPECT_EQ(text_of(standing("a.raised", chosen_first)), "SHOULD warns");
  EXPECT_EQ(text_of(standing("a.twice", chosen_first)), "MAY warns");
  EXPECT_EQ(text_of(standing("a.twice", chosen_second)), "SHOULD warns");
  EXPECT_EQ(text_of(standing("a.twice", third, true)), "MUST binds") << "a SHOULD bound before";
}

TEST(Rules, OfAHigherLevelBindAsBeforeForOneMinorVersion) {
  EXPECT_EQ(text_of(standing("a.raised", second)),
            "MUST warns: stricter in dlcert 0.2: it binds from dlcert 0.3 on");
  EXPECT_EQ(text_of(standing("a.raised", second, true)), "MUST binds") << "as the SHOULD did";
  EXPECT_EQ(text_of(standing("a.raised", third)), "MUST binds");
}

TEST(Rules, ThatAreNoStricterForALibraryHaveNoGrace) {
  Requirement raised = *known().find("a.raised");
  raised.without_array_api = Level::should;
  const Standing same = standing_of(raised, {"1.3", "none", "none"}, {}, {false, {}, second});
  EXPECT_EQ(text_of(same), "SHOULD warns");
}

TEST(Rules, WithAStricterCheckWarnInItsVersionAndBefore) {
  EXPECT_EQ(text_of(standing("a.checked", second)),
            "MUST warns: stricter in dlcert 0.2: it binds from dlcert 0.3 on");
  EXPECT_EQ(text_of(standing("a.checked", third)), "MUST binds");
  EXPECT_EQ(text_of(standing("a.checked", chosen_first)),
            "MUST warns: its check became stricter in dlcert 0.2: after the chosen rules");
}

TEST(Rules, OfAnUnknownVersionAreRefused) {
  EXPECT_EQ(rules_of("").version, known_rules().back());
  EXPECT_FALSE(rules_of("").chosen);
  EXPECT_TRUE(rules_of("0.1").chosen);
  try {
    rules_of("90.7");
    FAIL() << "it is taken";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "expected 0.1 but found '90.7'");
  }
}

TEST(Rules, TellTheirHistory) {
  EXPECT_EQ(history_lines(*known().find("a.raised")),
            (std::vector<std::string>{"added in dlcert 0.1",
                                      "stricter in dlcert 0.2 (SHOULD before): a bug"}));
  EXPECT_EQ(history_lines(*known().find("a.checked")).back(),
            "stricter in dlcert 0.2 (only its check): it looks twice");
}

std::string history_error(const std::string& history) {
  try {
    register_of(row("old", "MUST", history));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Rules, HaveAHistoryInOrder) {
  EXPECT_EQ(history_error(R"("no": 1)"),
            "a.json: requirements[0]: expected a member \"added\" but found none");
  EXPECT_EQ(history_error(R"("added": "soon")"),
            "a.json: requirements[0].added: expected a version such as 1.3 but found 'soon'");
  EXPECT_EQ(
      history_error(R"("added": "0.2", "tightened": [{"in": "0.2", "why": "x"}])"),
      "a.json: requirements[0].tightened[0].in: expected a version after 0.2 but found '0.2'");
  EXPECT_EQ(history_error(R"("added": "0.9", "tightened": [{"in": "0.10", "why": "x"}])"),
            "no error");
}

}  // namespace
}  // namespace dlcert
