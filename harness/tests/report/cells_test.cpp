// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>

#include "report/faults.hpp"
#include "report/matrix.hpp"
#include "report/results.hpp"
#include "sample/sample.hpp"

namespace dlcert {
namespace {

// The cell of acme as producer and sink as consumer. Every drawn tensor arrives.
class Cells : public testing::Test {
 protected:
  Cells() {
    results_.results.clear();
    results_.adapters = sample::inventory().adapters;
    results_.matrix.emplace();
    RequirementResult& arrivals = add("kept.alpha", Verdict::pass);
    arrivals.checks[0].record.requested = 100;
    arrivals.checks[0].record.parts["found"] = {{"float32", {"compact", "reversed"}}};
  }

  RequirementResult& add(std::string requirement, Verdict verdict) {
    RequirementResult one = sample::result(std::move(requirement), Level::must, verdict, "sum: 3");
    one.producer = "acme";
    one.consumer = "sink";
    return results_.results.emplace_back(std::move(one));
  }

  const Cell& found() {
    apply_consequences(results_, known_);
    find_cells(results_);
    return results_.matrix->cells.at(1);
  }

  Register known_ = sample::sample_register();
  Results results_ = sample::passing();
};

TEST_F(Cells, AreFullWhereEveryRuleIsKept) {
  EXPECT_EQ(found().state, CellState::full);
}

TEST_F(Cells, AreBrokenByABindingFailure) {
  add("kept.gamma", Verdict::fail);
  EXPECT_EQ(found().state, CellState::broken);
}

TEST_F(Cells, ArePartialWhereAFailureFollowsFromOneThatIsNotBinding) {
  add("kept.beta", Verdict::fail).binding = false;
  add("kept.gamma", Verdict::fail).checks[0].consequence = {
      .of = "kept.beta", .without = {}, .cases = 0};
  EXPECT_EQ(found().state, CellState::partial);
}

TEST_F(Cells, StayBrokenByTheOwnerOfAConsequence) {
  add("kept.alpha", Verdict::fail);
  add("kept.gamma", Verdict::fail).checks[0].consequence = {
      .of = "kept.alpha", .without = {}, .cases = 0};
  EXPECT_EQ(found().state, CellState::broken);
}

}  // namespace
}  // namespace dlcert
