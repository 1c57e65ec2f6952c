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

std::string register_error(std::string_view area, std::string_view policies = no_policies) {
  const std::array areas{Register::Source{"area.json", area}};
  try {
    Register::parse(areas, {"policies.json", policies});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Register, ReadsEveryMember) {
  const Register known = sample::sample_register();
  ASSERT_EQ(known.requirements().size(), 8u);
  const Requirement* const beta = known.find("kept.beta");
  ASSERT_NE(beta, nullptr);
  EXPECT_EQ(beta->area, "kept");
  EXPECT_EQ(beta->level, Level::should);
  EXPECT_EQ(beta->policy, "taste");
  EXPECT_EQ(known.find("kept.excused")->excused, "cannot be seen");
  EXPECT_EQ(known.find_policy("taste")->values.at("sour"), "other");
  EXPECT_EQ(known.find("kept.omega"), nullptr);
  EXPECT_EQ(known.nearest("kept.alphq"), "kept.alpha");
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
}

TEST(Register, RefusesAnIdThatIsListedTwice) {
  const Register known = sample::sample_register();
  const std::string one =
      R"({"id": "a.b", "area": "a", "level": "MUST", "role": "both", "since": "",
    "until": "", "statement": "", "source": "", "how_to_test": "", "ambiguity": "", "c_level": "yes"})";
  EXPECT_EQ(register_error(R"({"area": "a", "requirements": [)" + one + "," + one + "]}"),
            "requirement 'a.b': listed twice");
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
  EXPECT_EQ(embedded_text("requirements/abi.json"),
            read_file(folder + "/conformance/requirements/abi.json"));
  EXPECT_EQ(embedded_text("bugs.json"), read_file(folder + "/fixtures/bugs.json"));
}

}  // namespace
}  // namespace dlcert
