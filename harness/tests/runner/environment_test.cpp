// SPDX-License-Identifier: Apache-2.0
#include "runner/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace dlcert {
namespace {

class Environment : public testing::Test {
 protected:
  static constexpr const char* names[] = {"DLCERT_SIMULATED_DEVICES", "DLCERT_MANAGEMENT",
                                          "CUDA_VISIBLE_DEVICES",     "ASAN_OPTIONS",
                                          "MALLOC_PERTURB_",          "DLCERT_OF_A_TEST"};
  Environment() {
    for (const char* name : names)
      ::setenv(name, "0", 1);
  }
  ~Environment() override {
    for (const char* name : names)
      ::unsetenv(name);
  }

  static bool holds(const std::vector<std::string>& variables, const std::string& name) {
    return std::ranges::count(variables, name + "=0") == 1;
  }
};

TEST_F(Environment, WhatSetsUpTheHarnessOrHidesDevicesReachesNoWorker) {
  const std::vector<std::string> passed = worker_environment("simulated");
  EXPECT_FALSE(holds(passed, "DLCERT_SIMULATED_DEVICES"));
  EXPECT_FALSE(holds(passed, "DLCERT_MANAGEMENT"));
  EXPECT_FALSE(holds(passed, "CUDA_VISIBLE_DEVICES"));
  EXPECT_TRUE(holds(passed, "ASAN_OPTIONS"));
  EXPECT_TRUE(holds(passed, "DLCERT_OF_A_TEST"));
}

TEST_F(Environment, HardwareIsSeenAsTheUserHasIt) {
  EXPECT_TRUE(holds(worker_environment("cuda"), "CUDA_VISIBLE_DEVICES"));
  EXPECT_TRUE(holds(conditions("cuda"), "CUDA_VISIBLE_DEVICES"));
}

TEST_F(Environment, WhatCanWeakenARunIsTold) {
  const std::vector<std::string> told = conditions("simulated");
  EXPECT_TRUE(holds(told, "ASAN_OPTIONS"));
  EXPECT_TRUE(holds(told, "MALLOC_PERTURB_"));
  EXPECT_FALSE(holds(told, "CUDA_VISIBLE_DEVICES"));
  EXPECT_FALSE(holds(told, "DLCERT_OF_A_TEST"));
}

}  // namespace
}  // namespace dlcert
