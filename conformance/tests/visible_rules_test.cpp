// SPDX-License-Identifier: Apache-2.0
#include "testbench/visible_rules.hpp"

#include <gtest/gtest.h>

#include "generators/vectors.hpp"

namespace dlcert::testbench {
namespace {

TEST(VisibleRules, ListWhatTheKnownRowsList) {
  for (const vectors::VisibleRow& row : vectors::visible_rows(false))
    EXPECT_EQ(listed(row.value), row.devices) << row.id;
}

TEST(OwnersOfAList, AreTheRulesOfWhichOneBreachExplainsIt) {
  EXPECT_EQ(owners_of_list("1,0", {"1", "0"}), Owners{}) << "right";
  EXPECT_EQ(owners_of_list("1,0", listed(std::nullopt)), Owners{"devices.visible.env-name"});
  EXPECT_EQ(owners_of_list("1,0", {"0", "1"}), Owners{"devices.visible.index-list"});
  EXPECT_EQ(owners_of_list("0, 0", {"0"}),
            (Owners{"devices.visible.index-list", "devices.visible.duplicate-empties"}));
  EXPECT_EQ(owners_of_list("0,0 1", {"0"}),
            (Owners{"devices.visible.strtoul-prefix", "devices.visible.duplicate-empties"}));
  EXPECT_EQ(owners_of_list("0,x,2", {"0", "2"}), Owners{"devices.visible.stop-at-invalid"});
  EXPECT_EQ(owners_of_list("0,0", {"0", "0"}), Owners{"devices.visible.duplicate-empties"});
  EXPECT_EQ(owners_of_list("x", listed(std::nullopt)),
            (Owners{"devices.visible.env-name", "devices.visible.empty-string"}));
  EXPECT_EQ(owners_of_list("GPU-1", {}), Owners{"devices.visible.uuid-prefix-list"});
  EXPECT_EQ(owners_of_list("1,0", {"7"}), Owners{}) << "no rule explains it";
}

TEST(OwnersOfACount, AreThoseOfTheList) {
  EXPECT_EQ(owners_of_count("0,1", 8, 7, 2), Owners{}) << "right";
  EXPECT_EQ(owners_of_count("0x", 8, 7, 0), Owners{"devices.visible.strtoul-prefix"});
  EXPECT_EQ(owners_of_count("1", 8, 7, 8), Owners{"devices.visible.env-name"});
  EXPECT_EQ(owners_of_count("", 8, 7, 7), Owners{"devices.count.empty-list-zero"});
}

}  // namespace
}  // namespace dlcert::testbench
