// SPDX-License-Identifier: Apache-2.0
#include "register/version_range.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace dlcert {
namespace {

TEST(Versions, CompareByTheirNumbers) {
  EXPECT_LT(compare_versions("1.9", "1.10"), 0);
  EXPECT_EQ(compare_versions("2.1", "2.1.0"), 0);
  EXPECT_EQ(compare_versions("2.01", "2.1"), 0);
  EXPECT_GT(compare_versions("10", "9.99.99"), 0);
  EXPECT_GT(compare_versions("99999999999999999999999", "2"), 0);
}

TEST(Versions, WithAWordComeBeforeThoseWithout) {
  EXPECT_LT(compare_versions("2.1rc1", "2.1"), 0);
  EXPECT_LT(compare_versions("2.1a2", "2.1rc1"), 0);
  EXPECT_LT(compare_versions("2.0", "2.1rc1"), 0);
}

TEST(VersionRange, HoldsWhatAllItsBoundsAdmit) {
  const VersionRange range = VersionRange::parse(">=2.0, <2.4");
  EXPECT_TRUE(range.contains("2.0"));
  EXPECT_TRUE(range.contains("2.3.9"));
  EXPECT_FALSE(range.contains("2.4"));
  EXPECT_FALSE(range.contains("1.99"));
  EXPECT_TRUE(VersionRange::parse("*").contains("anything"));
  EXPECT_TRUE(VersionRange::parse("2.1").contains("2.1.0"));
  EXPECT_FALSE(VersionRange::parse("=2.1").contains("2.1.1"));
  EXPECT_FALSE(VersionRange::parse("> 2.1").contains("2.1"));
  EXPECT_TRUE(VersionRange::parse("<=2.1").contains("2.1"));
}

TEST(VersionRange, RefusesWhatIsNone) {
  for (const char* const text : {"", ",", ">=", "2.1,", "about 2", ">=2 <3 or so, x"})
    EXPECT_THROW(VersionRange::parse(text), std::runtime_error) << text;
}

TEST(VersionRange, OfOneVersionHoldsIt) {
  EXPECT_TRUE(VersionRange::exactly("2.1a0").contains("2.1a0"));
  EXPECT_FALSE(VersionRange::exactly("2.1a0").contains("2.1"));
  EXPECT_TRUE(VersionRange::exactly("unknown").contains("unknown"));
}

}  // namespace
}  // namespace dlcert
