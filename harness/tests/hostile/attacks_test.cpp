// SPDX-License-Identifier: Apache-2.0
//
// Each attack of the table gets the verdict that it deserves, with one worker and with two, and
// nothing stays behind.
#include <tuple>
#include <vector>

#include "deserved.hpp"

namespace dlcert::hostile {
namespace {

using Trial = std::tuple<Attack, unsigned>;  // with so many workers

class Attacks : public Deserved, public testing::WithParamInterface<Trial> {};

TEST_P(Attacks, GetTheVerdictThatTheyDeserve) {
  const auto& [attack, jobs] = GetParam();
  RunOptions options = test_options();
  options.jobs = jobs;
  expect_deserved_verdict(attack, options);
}

std::vector<Trial> trials() {
  std::vector<Trial> all;
  for (const Attack& attack : attacks()) {
    if (sanitized && attack.unsanitized != nullptr) continue;
    all.emplace_back(attack, 1u);
    if (!attack.one_worker) all.emplace_back(attack, 2u);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Hostile, Attacks, testing::ValuesIn(trials()));

}  // namespace
}  // namespace dlcert::hostile
