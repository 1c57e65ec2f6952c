// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <dlcert/suite/check.hpp>

namespace dlcert {
namespace {

Failure failure_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Failure& failure) {
    return failure;
  }
  return {"did not fail", "", ""};
}

TEST(Expect, SaysNothingWhenItHolds) {
  EXPECT_NO_THROW(expect(true, "unused"));
  EXPECT_NO_THROW(expect_equal("number", 3, 3));
}

TEST(Expect, FormatsTheMessage) {
  EXPECT_EQ(failure_of([] { expect(false, "{} of {}", 1, 2); }).message, "1 of 2");
}

TEST(ExpectEqual, KeepsBothValues) {
  const Failure failure = failure_of([] { expect_equal("deleter calls", 1, 2); });
  EXPECT_EQ(failure.message, "deleter calls: expected 1 but found 2");
  EXPECT_EQ(failure.expected, "1");
  EXPECT_EQ(failure.found, "2");
}

TEST(Require, FailsWithTheLibrarysError) {
  const Failure failure = failure_of([] {
    require(Outcome<int>{Error{DLCERT_ERROR_VALUE, 0, "", "no"}}, "export");
  });
  EXPECT_EQ(failure.message, "export: expected success but found ValueError: no");
  EXPECT_EQ(require(Outcome<int>{5}, "export"), 5);
}

TEST(BytesText, IsShortenedInTheMiddle) {
  EXPECT_EQ(to_text(Bytes{std::byte{1}, std::byte{0xff}}), "2 bytes 01ff");
  EXPECT_EQ(to_text(Bytes{}), "0 bytes");
  const std::string text = to_text(Bytes(100, std::byte{0xab}));
  EXPECT_NE(text.find("100 bytes"), std::string::npos);
  EXPECT_NE(text.find("..."), std::string::npos);
  EXPECT_LT(text.size(), 100u);
}

TEST(Settings, UnknownPolicyIsADefectOfTheCheck) {
  Settings settings;
  settings.policies["known"] = "value";
  EXPECT_EQ(settings.policy("known"), "value");
  EXPECT_THROW(settings.policy("unknown"), DefectOfCheck);
}

}  // namespace
}  // namespace dlcert
