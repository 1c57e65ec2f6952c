// SPDX-License-Identifier: Apache-2.0
#include "report/standards.hpp"

#include <gtest/gtest.h>

#include "sample/sample.hpp"

namespace dlcert {
namespace {

class StandardsOfAReport : public testing::Test {
 protected:
  AdapterInfo& acme() { return results_.adapters.at(0); }
  std::string text() { return standards_text(results_, acme(), known_); }

  const Register known_ = sample::sample_register();
  Results results_ = sample::passing();
};

TEST_F(StandardsOfAReport, TellWhatTheLibraryDeclares) {
  acme().declared = {"1.2", "2022.12", ""};
  EXPECT_EQ(text(),
            "acme: DLPack 1.2 (as it exports and asks for), array API 2022.12 (as it declares)");
}

TEST_F(StandardsOfAReport, TellThatTheLibraryDeclaresNothing) {
  acme().declared = {};
  EXPECT_EQ(text(),
            "acme: DLPack 1.3 (the newest; it does not tell), no array API (it claims none)");
}

TEST_F(StandardsOfAReport, TellWhatAnOptionChose) {
  acme().declared = {"1.0", "2022.12", ""};
  results_.settings.spec = "1.3";
  results_.settings.array_api = "none";
  EXPECT_EQ(text(), "acme: DLPack 1.3 (by an option), no array API (by an option)");
}

TEST_F(StandardsOfAReport, CountAndListNewerRequirementsOfItsRoles) {
  acme().declared.dlpack = "0.8";
  acme().producer = true;
  EXPECT_EQ(newer_requirements(results_, acme(), known_), std::vector<std::string>{"kept.gamma"});
  EXPECT_TRUE(text().ends_with("; 1 newer requirement was left out")) << text();
  acme().producer = false;
  EXPECT_TRUE(newer_requirements(results_, acme(), known_).empty());
}

}  // namespace
}  // namespace dlcert
