// SPDX-License-Identifier: Apache-2.0
//
// The main of every unit test. A filter that selects no test is a mistake, which GoogleTest would
// call a success.
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::fputs("error: no test was selected\n", stderr);
    return 1;
  }
  return failed;
}
