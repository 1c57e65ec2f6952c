// SPDX-License-Identifier: Apache-2.0

#include "generators/vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace dlcert::vectors {
namespace {

template <typename Rows>
std::set<std::string> ids_of(const Rows& rows) {
  std::set<std::string> ids;
  for (const auto& row : rows)
    ids.insert(row.id);
  return ids;
}

TEST(Vectors, AreAllThere) {
  EXPECT_GE(ids_of(visible_rows(false)).size(), 263u);
  EXPECT_EQ(ids_of(visible_rows(true)), ids_of(visible_rows(false)));
  EXPECT_GE(ids_of(rocm_rows()).size(), 48u);
  EXPECT_GE(ids_of(uuid_rows()).size(), 77u);
  EXPECT_GE(ids_of(management_rows()).size(), 24u);
  EXPECT_EQ(visible_uuids().size(), 8u);
}

TEST(Vectors, LeaveOutWhatOnlyPythonAnswers) {
  EXPECT_FALSE(ids_of(visible_rows(false)).contains("visible-089"));
}

TEST(VisibleVectors, EndTheListAtALoneSign) {
  const auto rows = visible_rows(false);
  const auto row = std::ranges::find(rows, "0,-gpu", &VisibleRow::value);
  ASSERT_NE(row, rows.end());
  EXPECT_TRUE(row->has_sign_only);
  EXPECT_EQ(row->devices, std::vector<std::string>{"0"});
}

TEST(VisibleVectors, KeepOrdinalsOfAnySize) {
  const auto rows = visible_rows(false);
  const auto row = std::ranges::find(rows, "18446744073709551616", &VisibleRow::value);
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->devices, std::vector<std::string>{"18446744073709551616"});
}

TEST(VisibleVectors, LeaveIdentifiersToTheRuntimeOnRocmOnly) {
  const auto count_of = [](bool rocm) {
    const auto rows = visible_rows(rocm);
    return std::ranges::find(rows, "GPU-0f4e,GPU-8a,GPU-8932f937-0", &VisibleRow::value)
        ->counts.at(8);
  };
  EXPECT_EQ(count_of(false), 3);
  EXPECT_EQ(count_of(true), -1);
}

TEST(RocmVectors, DifferByPolicy) {
  const auto rows = rocm_rows();
  EXPECT_TRUE(std::ranges::any_of(
      rows, [](const RocmRow& row) { return row.current && *row.current != row.torch_2_4; }));
}

TEST(ManagementVectors, CoverBothVendorsAndEveryKindOfLibrary) {
  std::set<std::pair<bool, ManagementLibrary>> seen;
  for (const ManagementRow& row : management_rows())
    seen.emplace(row.rocm, row.library);
  EXPECT_EQ(seen.size(), 6u);
}

}  // namespace
}  // namespace dlcert::vectors
