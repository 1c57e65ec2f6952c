// SPDX-License-Identifier: Apache-2.0
#include "worker/devices.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include <dlcert/driver/simulated.hpp>

namespace dlcert {
namespace {

TEST(Devices, AreThoseOfDlcertWhateverTheEnvironmentSays) {
  ::setenv("DLCERT_SIMULATED_DEVICES", "0", 1);
  ::setenv("DLCERT_SIMULATED_SCHEDULE", "eager", 1);
  start_devices("simulated", Platform::rocm);
  ::unsetenv("DLCERT_SIMULATED_DEVICES");
  ::unsetenv("DLCERT_SIMULATED_SCHEDULE");
  const driver::SimulatedOptions options = driver::simulated_driver().options();
  EXPECT_EQ(options.devices, 2);
  EXPECT_EQ(options.vendor, driver::Vendor::rocm);
  EXPECT_EQ(options.schedule, driver::SimulatedOptions{}.schedule);
  EXPECT_TRUE(has_devices_of(Platform::rocm));
  start_devices("simulated", Platform::cuda);
}

}  // namespace
}  // namespace dlcert
