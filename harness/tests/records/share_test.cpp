// SPDX-License-Identifier: Apache-2.0
#include "records/share.hpp"

#include <gtest/gtest.h>

#include <set>

namespace dlcert {
namespace {

const CheckInfo usual{.requirement = "a.one", .sentence = "it holds"};

CheckInfo in_processes(std::uint64_t rows = 0) {
  return {.requirement = "a.one", .sentence = "it holds", .rows = rows, .process_per_case = true};
}

struct Shared {
  std::uint64_t cases, whole, spread_over;
  bool operator==(const Shared&) const = default;
};

Shared share(const CheckInfo& check, std::uint64_t cases, bool dear) {
  Unit unit;
  const std::uint64_t whole = set_share(unit, check, cases, dear);
  return {unit.cases, whole, unit.spread_over};
}

TEST(Share, IsAllWhereCasesShareAProcess) {
  CheckInfo table = usual;
  table.rows = 70;
  for (const bool dear : {false, true}) {
    EXPECT_EQ(share(usual, 1000, dear), (Shared{1000, 1000, 0}));
    EXPECT_EQ(share(table, 1000, dear), (Shared{70, 70, 0}));
  }
}

TEST(Share, IsATenthWhereEachCaseHasAProcess) {
  EXPECT_EQ(share(in_processes(), 1000, false), (Shared{100, 1000, 0}));
  EXPECT_EQ(share(in_processes(), 1, false), (Shared{1, 1, 0}));
  EXPECT_EQ(share(in_processes(70), 1000, false), (Shared{70, 70, 0}));
}

TEST(Share, IsWhatTheRuleNeedsWhereProcessesAreDear) {
  EXPECT_EQ(share(in_processes(), 1000, true), (Shared{usual_processes, 1000, 0}));
  EXPECT_EQ(share(in_processes(), 100, true), (Shared{10, 100, 0}));
  EXPECT_EQ(share(in_processes(), 7, true), (Shared{1, 7, 0}));
  EXPECT_EQ(share(in_processes(25), 1000, true), (Shared{25, 25, 0}));
  EXPECT_EQ(share(in_processes(70), 1000, true), (Shared{usual_processes, 70, 70}));
  CheckInfo needs_less = in_processes(70);
  needs_less.processes = 3;
  EXPECT_EQ(share(needs_less, 1000, true), (Shared{3, 70, 70}));
}

std::set<std::uint64_t> rows_of(const Unit& unit) {
  std::set<std::uint64_t> rows;
  for (std::uint64_t nth = 0; nth < unit.cases; ++nth)
    rows.insert(case_at(unit, nth));
  return rows;
}

TEST(Share, OfATableIsSpreadEvenly) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 70; ++seed) {
    const Unit unit{.seed = seed, .cases = 25, .spread_over = 70};
    const std::set<std::uint64_t> rows = rows_of(unit);
    ASSERT_EQ(rows.size(), 25u);
    EXPECT_LT(*rows.rbegin(), 70u);
    std::uint64_t before = *rows.rbegin() - 70;  // around the end
    for (const std::uint64_t row : rows) {
      EXPECT_LE(row - before, 3u);  // 70 / 25, rounded up
      before = row;
    }
    EXPECT_EQ(rows, rows_of(unit));
    seen.insert(rows.begin(), rows.end());
  }
  EXPECT_EQ(seen.size(), 70u) << "some row is never run";
}

TEST(Share, KnowsHowManyCasesCameBefore) {
  const Unit all{.seed = 9, .cases = 70};
  EXPECT_EQ(cases_before(all, 60), 60u);
  const Unit some{.seed = 9, .cases = 25, .spread_over = 70};
  for (std::uint64_t nth = 0; nth < some.cases; ++nth)
    EXPECT_EQ(cases_before(some, case_at(some, nth)), nth);
}

}  // namespace
}  // namespace dlcert
