// SPDX-License-Identifier: Apache-2.0
//
// Each attack of the table gets the verdict that it deserves, with one worker and with two, and
// nothing stays behind.
#include <tuple>

#include "deserved.hpp"

namespace dlcert::hostile {
namespace {

class Attacks : public Deserved,
                public testing::WithParamInterface<std::tuple<Attack, unsigned>> {};

TEST_P(Attacks, GetTheVerdictThatTheyDeserve) {
  const auto& [attack, jobs] = GetParam();
  if (sanitized && attack.unsanitized != nullptr) return;
  if (jobs > 1 && attack.one_worker) return;
  RunOptions options = test_options();
  options.jobs = jobs;
  expect_deserved_verdict(attack, options);
}

INSTANTIATE_TEST_SUITE_P(Hostile, Attacks,
                         testing::Combine(testing::ValuesIn(attacks().begin(), attacks().end()),
                                          testing::Values(1u, 2u)));

}  // namespace
}  // namespace dlcert::hostile
