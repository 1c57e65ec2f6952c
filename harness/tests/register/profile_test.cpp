// SPDX-License-Identifier: Apache-2.0
#include "register/profile.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sample/sample.hpp"

namespace dlcert {
namespace {

std::string policy_error(const std::string& choice, std::string_view set = standard_policies) {
  try {
    resolve_policies(sample::sample_register(), set, {choice});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

Policies resolved(std::string_view set, const std::vector<std::string>& choices = {}) {
  return resolve_policies(sample::sample_register(), set, choices);
}

TEST(Policies, HaveTheirDefaultUnlessChosen) {
  EXPECT_EQ(resolved("standard").values.at("taste"), "sweet");
  EXPECT_TRUE(resolved("standard").chosen.empty());
  EXPECT_EQ(resolved("standard", {"taste=sour"}).values.at("taste"), "sour");
  EXPECT_TRUE(resolved("standard", {"taste=sour"}).chosen.contains("taste"));
}

TEST(Policies, AreChosenWhereTheDefaultIsNamed) {
  EXPECT_TRUE(resolved("standard", {"taste=sweet"}).chosen.contains("taste"));
}

TEST(Policies, OfASetAreChosenWhereItDiffersFromTheDefault) {
  const Policies interop = resolved("interop");
  EXPECT_EQ(interop.set, "interop");
  EXPECT_EQ(interop.values.at("taste"), "sour");
  EXPECT_TRUE(interop.chosen.contains("taste"));
  EXPECT_EQ(resolved("strict").values.at("taste"), "sweet") << "it has none of its own";
  EXPECT_TRUE(resolved("strict").chosen.empty());
}

TEST(Policies, AreChosenOnTopOfASet) {
  EXPECT_EQ(resolved("interop", {"taste=record"}).values.at("taste"), "record");
}

TEST(Policies, ThatAreUnknownAreRefused) {
  EXPECT_EQ(policy_error("tast=sour"), "unknown policy 'tast', did you mean 'taste'?");
  EXPECT_EQ(policy_error("taste=salty"),
            "policy taste: expected record, sour, sweet but found 'salty'");
  EXPECT_EQ(policy_error("taste"), "policy taste: expected record, sour, sweet but found ''");
  EXPECT_EQ(policy_error("taste=sour", "lax"),
            "unknown policy set 'lax': expected standard, interop, strict");
}

// kept.beta is a SHOULD that "taste" decides; kept.delta is a MAY that none decides.
bool binding(std::string_view id, const Policies& policies, bool strict = false) {
  const Register known = sample::sample_register();
  Settings settings = default_settings(known);
  settings.policies = policies.values;
  return is_binding(*known.find(id), known.find(id)->level, settings, strict, policies.chosen);
}

TEST(Binding, IsByLevelWhereNothingWasChosen) {
  EXPECT_TRUE(binding("kept.alpha", resolved("standard")));
  EXPECT_FALSE(binding("kept.beta", resolved("standard")));
  EXPECT_TRUE(binding("kept.beta", resolved("standard"), true));
  EXPECT_FALSE(binding("kept.delta", resolved("standard"), true));
}

TEST(Binding, IsWhatAChosenValueDecides) {
  EXPECT_TRUE(binding("kept.beta", resolved("standard", {"taste=sour"})));
  EXPECT_TRUE(binding("kept.beta", resolved("standard", {"taste=sweet"}))) << "the default, named";
  EXPECT_TRUE(binding("kept.beta", resolved("interop")));
  EXPECT_FALSE(binding("kept.beta", resolved("strict"))) << "where it has the default";
  EXPECT_FALSE(binding("kept.delta", resolved("standard", {"taste=sour"})));
}

TEST(Binding, IsByLevelWhereTheChosenValueRecords) {
  EXPECT_FALSE(binding("kept.beta", resolved("standard", {"taste=record"})));
  EXPECT_TRUE(binding("kept.beta", resolved("standard", {"taste=record"}), true));
  EXPECT_FALSE(binding("kept.beta", resolved("interop", {"taste=record"})));
}

std::string settings_error(void (*spoil)(Settings&)) {
  const Register known = sample::sample_register();
  Settings settings = default_settings(known);
  spoil(settings);
  try {
    complete_settings(settings, known);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(Profile, SettingsOfADocumentAreThoseOfACommandLine) {
  EXPECT_EQ(settings_error([](Settings&) {}), "no error");
  EXPECT_EQ(settings_error([](Settings& s) { s.policies.clear(); }), "no error");
  EXPECT_EQ(settings_error([](Settings& s) { s.spec = "0.0"; }),
            "spec: expected 0.8, 1.0, 1.1, 1.2, 1.3, declared but found '0.0'");
  EXPECT_EQ(settings_error([](Settings& s) { s.array_api = "1999.12"; }).substr(0, 34),
            "array_api: expected none, 2021.12,");
  EXPECT_EQ(settings_error([](Settings& s) { s.runtime = "torch-9"; }),
            "runtime: expected none, torch-2.4, driver, declared but found 'torch-9'");
  EXPECT_EQ(settings_error([](Settings& s) { s.driver = ""; }),
            "driver: expected simulated, cuda, hip but found ''");
  EXPECT_EQ(settings_error([](Settings& s) { s.policies["tast"] = "sour"; }),
            "unknown policy 'tast', did you mean 'taste'?");
  EXPECT_EQ(settings_error([](Settings& s) { s.policies["taste"] = "salty"; }),
            "policy taste: expected record, sour, sweet but found 'salty'");
}

TEST(Profile, AMissingPolicyOfADocumentHasItsDefault) {
  Settings settings = default_settings(sample::sample_register());
  settings.policies.clear();
  complete_settings(settings, sample::sample_register());
  EXPECT_EQ(settings.policies.at("taste"), "sweet");
}

Standards declaring(const Standards& declared, const Settings& settings = {}) {
  return standards_of(settings, declared);
}

TEST(Profile, ALibraryIsJudgedByWhatItDeclares) {
  EXPECT_EQ(declaring({"1.1", "2022.12", "torch-2.4"}), (Standards{"1.1", "2022.12", "none"}))
      << "Settings{} asks for no runtime";
  EXPECT_EQ(declaring({"1.1", "2022.12", "torch-2.4"}, default_settings(sample::sample_register())),
            (Standards{"1.1", "2022.12", "torch-2.4"}));
}

TEST(Profile, WhatALibraryDoesNotDeclareIsTheNewestDLPackAndNoOtherStandard) {
  EXPECT_EQ(declaring({}), (Standards{"1.3", "none", "none"}));
}

TEST(Profile, AnOptionStandsAboveWhatALibraryDeclares) {
  Settings settings;
  settings.spec = "1.0";
  settings.array_api = "2023.12";
  EXPECT_EQ(declaring({"1.1", "2022.12", ""}, settings), (Standards{"1.0", "2023.12", "none"}));
}

TEST(Profile, AnUnknownArrayApiIsTheNewestKnownBeforeIt) {
  EXPECT_EQ(declaring({"", "2024.13", ""}).array_api, "2024.12");
  EXPECT_EQ(declaring({"", "2031.12", ""}).array_api, "2025.12");
  EXPECT_EQ(declaring({"", "draft", ""}).array_api, "2025.12");
  EXPECT_EQ(declaring({"", "2020.12", ""}).array_api, "none");
}

TEST(Profile, TwoLibrariesFollowTheOlderVersions) {
  EXPECT_EQ(older({"1.1", "2025.12", "none"}, {"1.0", "none", "torch-2.4"}),
            (Standards{"1.0", "none", "none"}));
}

TEST(Profile, ALabelIsJudgedByTheNewestVersionThatIsNotNewer) {
  EXPECT_EQ(known_spec_at_most({0, 0}), "0.8");
  EXPECT_EQ(known_spec_at_most({1, 1}), "1.1");
  EXPECT_EQ(known_spec_at_most({1, 255}), "1.3");
  EXPECT_EQ(known_spec_at_most({7, 0}), "1.3");
}

TEST(Profile, WithoutTheArrayApiARuleOfFormHasALowerLevel) {
  Requirement rule;
  rule.without_array_api = Level::should;
  EXPECT_EQ(level_in(rule, {"1.3", "2021.12", "none"}), Level::must);
  EXPECT_EQ(level_in(rule, {"1.3", "none", "none"}), Level::should);
  rule.without_array_api.reset();
  EXPECT_EQ(level_in(rule, {"1.3", "none", "none"}), Level::must);
}

TEST(Profile, WithoutTheArrayApiItsRulesAreThoseOfTheNewestVersion) {
  Requirement rule;
  rule.since = "array API 2023.12";
  EXPECT_EQ(outside_profile(rule, {"1.3", "none", "none"}), "");
  EXPECT_EQ(outside_profile(rule, {"1.3", "2022.12", "none"}), "since array API 2023.12");
  EXPECT_TRUE(is_newer(rule, {"1.3", "2022.12", "none"}));
}

TEST(Profile, ARuleOfARuntimeEndsWithTheReleaseThatGaveItUp) {
  Requirement rule;
  rule.since = "torch 2.4";
  rule.until = "torch 2.12";
  const auto outside = [&](const char* runtime) {
    return outside_profile(rule, {"1.3", "2025.12", runtime});
  };
  EXPECT_EQ(outside("torch-2.4"), "");
  EXPECT_EQ(outside("torch-2.11"), "");
  EXPECT_EQ(outside("torch-2.12"), "until torch 2.12");
  EXPECT_EQ(outside("torch-2.3"), "since torch 2.4");
  EXPECT_EQ(outside("none"), "since torch 2.4");
}

}  // namespace
}  // namespace dlcert
