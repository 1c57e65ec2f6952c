// SPDX-License-Identifier: Apache-2.0
#include "register/register.hpp"

#include <gtest/gtest.h>

#include <array>

#include "register/embedded.hpp"
#include "report/atomic_file.hpp"
#include "sample/sample.hpp"

namespace dlcert {
namespace {

constexpr std::string_view no_policies = R"({"policies": []})";
constexpr std::string_view one_feature =
    R"({"spec_kinds": {"k": "s"}, "features": [{"id": "f", "title": "", "meaning": "", "roles": ["consumer"]}]})";

std::string register_error(std::string_view area, std::string_view policies = no_policies,
                           std::string_view features = one_feature) {
  const std::array areas{Register::Source{"area.json", area}};
  try {
    Register::parse(areas, {"policies.json", policies}, {"features.json", features});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Register, ReadsEveryMember) {
  const Register known = sample::sample_register();
  ASSERT_EQ(known.requirements().size(), 9u);
  const Requirement* const beta = known.find("kept.beta");
  ASSERT_NE(beta, nullptr);
  EXPECT_EQ(beta->area, "kept");
  EXPECT_EQ(beta->feature, "kept");
  EXPECT_EQ(beta->level, Level::should);
  EXPECT_EQ(beta->policy, "taste");
  EXPECT_EQ(known.find("kept.excused")->excused, "cannot be seen");
  EXPECT_EQ(known.find("kept.late")->added, "90.1");
  EXPECT_EQ(known.find_policy("taste")->values.at("sour"), "other");
  EXPECT_EQ(known.find_policy("taste")->sets.at("interop").bug, "sugar-lost");
  EXPECT_EQ(known.find_policy("taste")->value_in("interop"), "sour");
  EXPECT_EQ(known.find_policy("taste")->value_in("strict"), "sweet");
  EXPECT_EQ(known.find("kept.omega"), nullptr);
  EXPECT_EQ(known.nearest("kept.alphq"), "kept.alpha");
}

TEST(Register, ReadsEveryMemberOfAFeature) {
  const Register known = sample::sample_register();
  ASSERT_EQ(known.features().size(), 3u);
  EXPECT_EQ(known.find_feature("keptt"), nullptr);
  const Feature* const kept = known.find_feature("kept");
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->title, "Keeping");
  EXPECT_EQ(kept->meaning, "What is given is kept.");
  EXPECT_EQ(kept->kind, FeatureKind::claimable);
  EXPECT_TRUE(kept->has(Role::producer));
  EXPECT_FALSE(kept->has(Role::runtime));
  EXPECT_EQ(kept->claims.at(Role::producer).all, static_cast<Needs>(Can::create));
  EXPECT_EQ(kept->claims.at(Role::consumer).any, static_cast<Needs>(Can::any_import));
  EXPECT_EQ(kept->specs, std::vector<std::string>{"plain"});
  EXPECT_TRUE(contains(kept->shows, "kept.alpha", Role::producer));
  EXPECT_TRUE(contains(kept->optional, "kept.gamma", Role::consumer));
  EXPECT_FALSE(contains(kept->optional, "kept.gamma", Role::producer));
  EXPECT_EQ(known.find_feature("python")->kind, FeatureKind::elsewhere);
}

TEST(Register, NamesThePlaceOfAnError) {
  EXPECT_EQ(register_error("{\n  \"area\" \"x\"}"), "area.json: line 2, column 12: not JSON");
  EXPECT_EQ(register_error("[]"), "area.json: expected an object but found array");
  EXPECT_EQ(register_error(R"({"area": "a"})"),
            "area.json: expected a member \"requirements\" but found none");
  EXPECT_EQ(register_error(R"({"area": "a", "requirements": [{"id": 7}]})"),
            "area.json: requirements[0].id: expected a text but found 7");
  EXPECT_EQ(register_error(R"({"area": "a", "requirements": [{"id": "b.c", "area": "b"}]})"),
            "area.json: requirements[0].area: expected one of a but found 'b'");
  EXPECT_EQ(register_error(
                R"({"area": "a", "requirements": []})",
                R"({"policies": [{"name": "p", "question": "", "default": "x", "values": {}}]})"),
            "policies.json: policies[0].default: expected one of the values but found 'x'");
  EXPECT_EQ(
      register_error(
          R"({"area": "a", "requirements": []})",
          R"({"policies": [{"name": "p", "question": "", "default": "x", "values": {"x": ""},
              "sets": {"strict": {"value": "y"}}}]})"),
      "policies.json: policies[0].sets.strict.value: expected one of the values but found 'y'");
}

std::string area_of(const std::string& requirements) {
  return R"({"area": "a", "requirements": [)" + requirements + "]}";
}

std::string requirement_of(const std::string& feature) {
  return R"({"id": "a.b", "area": "a", "feature": ")" + feature + R"(", "level": "MUST",
    "role": "both", "since": "", "until": "", "added": "0.1", "statement": "", "source": "", "how_to_test": "",
    "ambiguity": "", "c_level": "yes"})";
}

TEST(Register, RefusesAnIdThatIsListedTwice) {
  const std::string one = requirement_of("f");
  EXPECT_EQ(register_error(area_of(one + "," + one)), "requirement 'a.b': listed twice");
}

TEST(Register, RefusesAFeatureThatIsNotKnown) {
  EXPECT_EQ(register_error(area_of(requirement_of("g"))),
            "area.json: requirements[0].feature: expected a known feature but found 'g'");
}

// What a feature with one more member is refused for, beside another feature and its requirement.
std::string feature_error(const std::string& member) {
  return register_error(area_of(requirement_of("f")), no_policies,
                        R"({"spec_kinds": {"k": "s"}, "features": [
    {"id": "f", "title": "", "meaning": "", "roles": ["consumer"]},
    {"id": "g", "title": "", "meaning": "", "roles": ["consumer"], )" +
                            member + "}]}");
}

TEST(Register, RefusesAFeatureThatContradictsTheRest) {
  EXPECT_EQ(feature_error(R"("specs": ["k"], "claimed_with": "f")"), "no error");
  EXPECT_EQ(
      feature_error(R"("kind": "rare")"),
      "features.json: features[1].kind: expected a kind of feature (claimable, always, shared, "
      "elsewhere) but found 'rare'");
  EXPECT_EQ(feature_error(R"("claims": {"consumer": {"all": ["fly"]}})"),
            "features.json: features[1].claims.consumer.all[0]: expected a function that an "
            "adapter can have but found 'fly'");
  EXPECT_EQ(feature_error(R"("shows": ["a.b@author"])"),
            "features.json: features[1].shows[0]: expected producer, consumer or runtime but found "
            "'author'");
  EXPECT_EQ(feature_error(R"("counted_in": ["h"])"),
            "feature 'g': expected a known feature but found 'h'");
  EXPECT_EQ(feature_error(R"("claimed_with": "h")"),
            "feature 'g': expected a known feature but found 'h'");
  EXPECT_EQ(feature_error(R"("specs": ["odd"])"),
            "feature 'g': expected a kind of tensors but found 'odd'");
  EXPECT_EQ(feature_error(R"("shows": ["a.c"])"),
            "feature 'g': expected a known requirement but found 'a.c'");
  EXPECT_EQ(feature_error(R"("optional": ["a.b"])"),
            "feature 'g': expected a requirement of this feature but found 'a.b'");
}

TEST(EmbeddedRegister, IsTheRegisterOfTheProject) {
  const Register& known = Register::embedded();
  EXPECT_GE(known.requirements().size(), 353u);
  EXPECT_NE(known.find("lifetime.deleter.exactly-once"), nullptr);
}

TEST(EmbeddedFiles, AreByteForByteThoseOfTheProject) {
  ASSERT_FALSE(embedded_files().empty());
  const std::string folder = DLCERT_PROJECT_FOLDER;
  EXPECT_EQ(embedded_text("policies.json"), read_file(folder + "/conformance/policies.json"));
  EXPECT_EQ(embedded_text("features.json"), read_file(folder + "/conformance/features.json"));
  EXPECT_EQ(embedded_text("requirements/abi.json"),
            read_file(folder + "/conformance/requirements/abi.json"));
  EXPECT_EQ(embedded_text("bugs.json"), read_file(folder + "/fixtures/bugs.json"));
}

}  // namespace
}  // namespace dlcert
