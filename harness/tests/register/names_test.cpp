// SPDX-License-Identifier: Apache-2.0
#include "register/names.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace dlcert {
namespace {

TEST(Globs, CoverTheWholeText) {
  EXPECT_TRUE(matches_glob("abi.dtype.*", "abi.dtype.lanes-zero"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("a?c", "abc"));
  EXPECT_TRUE(matches_glob("*a*b*", "xxaxxbxx"));
  EXPECT_FALSE(matches_glob("abi", "abi.dtype"));
  EXPECT_FALSE(matches_glob("a?c", "ac"));
  EXPECT_FALSE(matches_glob("*a*b", "ba"));
  EXPECT_FALSE(matches_glob("", "a"));
}

TEST(Globs, AreLinearInPractice) {
  const std::string stars = "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b";
  EXPECT_FALSE(matches_glob(stars, std::string(5000, 'a')));
}

TEST(NearestName, IsASlipAway) {
  const std::array<std::string, 3> known{"lifetime.deleter.exactly-once", "abi.flags.unknown-bits",
                                         "abi.shape.rank"};
  EXPECT_EQ(nearest_name("lifetime.deleter.exactly-onze", known), known[0]);
  EXPECT_EQ(nearest_name("abi.flag.unknown-bit", known), known[1]);
  EXPECT_EQ(nearest_name("something else altogether", known), "");
}

}  // namespace
}  // namespace dlcert
