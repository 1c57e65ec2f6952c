// SPDX-License-Identifier: Apache-2.0
//
// Each attack of the table gets the verdict that it deserves, with two workers and with one, and
// nothing stays behind.
#include <vector>

#include "deserved.hpp"

namespace dlcert::hostile {
namespace {

class Attacks : public Deserved, public testing::WithParamInterface<Attack> {
 protected:
  void expect_it_with(unsigned workers) {
    RunOptions options = test_options();
    options.jobs = workers;
    expect_deserved_verdict(GetParam(), options);
  }
};

TEST_P(Attacks, GetTheVerdictThatTheyDeserve) {
  expect_it_with(GetParam().one_worker ? 1 : 2);
}

class WithOneWorker : public Attacks {};

TEST_P(WithOneWorker, GetTheVerdictThatTheyDeserve) {
  expect_it_with(1);
}

// Those that any number of workers judges, or all.
std::vector<Attack> attacks_of(bool any_number) {
  std::vector<Attack> some;
  for (const Attack& attack : attacks())
    if (!(sanitized && attack.unsanitized != nullptr) && !(any_number && attack.one_worker))
      some.push_back(attack);
  return some;
}

INSTANTIATE_TEST_SUITE_P(Hostile, Attacks, testing::ValuesIn(attacks_of(false)));
INSTANTIATE_TEST_SUITE_P(Hostile, WithOneWorker, testing::ValuesIn(attacks_of(true)));

}  // namespace
}  // namespace dlcert::hostile
