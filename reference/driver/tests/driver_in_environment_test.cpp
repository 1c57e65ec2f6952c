// SPDX-License-Identifier: Apache-2.0
//
// A program of its own: what the environment chooses holds for the whole process.

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "dlcert/driver/select.hpp"

namespace dlcert::driver {
namespace {

TEST(DriverInEnvironment, IsRefusedWhileUnknownAndChosenByTheFirstUse) {
  ASSERT_EQ(::setenv("DLCERT_DRIVER", "metal", 1), 0);
  EXPECT_THROW(static_cast<void>(driver()), std::invalid_argument);
  ASSERT_EQ(::setenv("DLCERT_DRIVER", "simulated", 1), 0);
  EXPECT_EQ(driver().name(), "simulated");
  ASSERT_EQ(::setenv("DLCERT_DRIVER", "metal", 1), 0);
  EXPECT_EQ(driver().name(), "simulated");
}

}  // namespace
}  // namespace dlcert::driver
