// SPDX-License-Identifier: Apache-2.0
//
// A record that is sealed and cannot be read is nobody's failure: it is told as it is, and the rest
// of the run goes on.
#include <gtest/gtest.h>

#include "runner/confirm.hpp"
#include "runner/pool.hpp"
#include "scripted_worker.hpp"

namespace dlcert {
namespace {

using scripted::Script;

Unit unit_that(Script script) {
  Unit unit;
  unit.seed = static_cast<std::uint64_t>(script);
  unit.cases = 5;
  return unit;
}

RunOptions options() {
  RunOptions options;
  options.worker = SCRIPTED_WORKER;
  options.jobs = 1;
  return options;
}

std::vector<Trial> run(const UnitRunner& runner, const std::vector<Unit>& units) {
  JobOutcome outcome = runner.run_shared(units, {});
  std::vector<Trial> trials(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    trials[i].unit = units[i];
    trials[i].outcome = std::move(outcome.units.at(i));
  }
  return trials;
}

TEST(DamagedRecord, IsInconclusiveAndLeavesItsNeighboursAlone) {
  const RunOptions chosen = options();
  const std::vector<Trial> trials =
      run(UnitRunner{chosen, {}},
          {unit_that(Script::passes), unit_that(Script::damages), unit_that(Script::passes)});
  EXPECT_EQ(to_result(trials[0], {}).verdict, Verdict::pass);
  EXPECT_EQ(to_result(trials[2], {}).verdict, Verdict::pass);

  const UnitOutcome& damaged = trials[1].outcome;
  EXPECT_EQ(damaged.end, UnitEnd::damaged);
  EXPECT_EQ(damaged.record.requested, 5u);
  EXPECT_FALSE(went_wrong(damaged));
  const CheckResult result = to_result(trials[1], {});
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_TRUE(result.reason.starts_with("the results of the worker process are damaged: "))
      << result.reason;
}

TEST(DamagedRecord, OfARepetitionTeachesNothing) {
  const RunOptions chosen = options();
  const UnitRunner runner{chosen, {}};
  std::vector<Trial> trials = run(runner, {unit_that(Script::fails_then_damages)});
  confirm(trials, runner);
  EXPECT_TRUE(trials[0].repeated);
  EXPECT_EQ(to_result(trials[0], {}).verdict, Verdict::fail);
  EXPECT_EQ(to_result(trials[0], {}).record.message, "broken");
}

}  // namespace
}  // namespace dlcert
