// SPDX-License-Identifier: Apache-2.0
#include "registration.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "suite.hpp"

namespace dlcert {
namespace {

TEST(Heads, OfBothVendorsSayWhose) {
  const auto both = on_both_vendors(producer_check("a.b", "something holds", Needs{}));
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].platform, Platform::cuda);
  EXPECT_EQ(both[0].sentence, "something holds on CUDA");
  EXPECT_EQ(both[1].platform, Platform::rocm);
  EXPECT_EQ(both[1].sentence, "something holds on ROCm");
}

TEST(Heads, OfBothRolesDifferInTheRoleAlone) {
  const auto both = in_both_roles(producer_check("a.b", "something holds", Needs{}, 3));
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].role, Role::producer);
  EXPECT_EQ(both[1].role, Role::consumer);
  EXPECT_EQ(both[1].sentence, "something holds");
  EXPECT_EQ(both[1].rows, 3u);
}

TEST(Heads, GetTheBodyThatTheyStandBefore) {
  Suite suite;
  const auto body = [](Case&) {};
  add_checks(suite, {"has_one", body}, producer_check("a.b", "one", Needs{}),
             on_both_vendors(consumer_check("a.b", "two", Needs{})));
  ASSERT_EQ(suite.checks().size(), 3u);
  for (const Check& check : suite.checks()) {
    EXPECT_EQ(check.name, "has_one");
    EXPECT_EQ(check.body, +body);
  }
}

TEST(Heads, OfAnyTensorHaveATwinOnTheDevicesOfEachVendor) {
  Suite suite;
  const auto body = [](Case&) {};
  const auto on_a_device = [](Case&) {};
  add_checks_and_twins(suite, {"has_one", body}, on_a_device,
                       if_touched(in_both_roles(producer_check("a.b", "one", Needs{}, 2))));
  ASSERT_EQ(suite.checks().size(), 6u);
  for (const Check& check : suite.checks()) {
    const bool twin = check.platform != Platform::any;
    EXPECT_EQ(check.body, twin ? +on_a_device : +body);
    EXPECT_EQ(check.rows, 2u);
    EXPECT_TRUE(check.says_touched);
  }
  EXPECT_EQ(suite.checks()[5].sentence, "one on ROCm");
  EXPECT_EQ(suite.checks()[5].role, Role::consumer);
}

TEST(Families, AreTheSameEachTime) {
  const Suite first = all_checks();
  const Suite second = all_checks();
  ASSERT_EQ(first.checks().size(), second.checks().size());
  for (std::size_t i = 0; i < first.checks().size(); ++i)
    EXPECT_EQ(first.checks()[i].sentence, second.checks()[i].sentence);
}

TEST(Families, ThatNobodyNamesAreAnError) {
  EXPECT_THROW(suite_of({}), std::logic_error);
}

}  // namespace
}  // namespace dlcert
