// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/telemetry.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "dlcert/cuda/errors.hpp"

#include "fakes.hpp"

namespace dlcert::cuda {
namespace {

using driver::Vendor;
using Query = Measurement (Telemetry::*)(const DeviceArgument&);

constexpr std::array<Query, 5> queries = {&Telemetry::memory_usage, &Telemetry::utilization,
                                          &Telemetry::temperature, &Telemetry::power_draw,
                                          &Telemetry::clock_rate};

struct TelemetryWorld : World<> {
  explicit TelemetryWorld(Vendor vendor = Vendor::cuda) : World<>{vendor} {}

  Measurement ask(Query query, const DeviceArgument& device = std::int64_t{0}) {
    return (telemetry.*query)(device);
  }

  std::int64_t current = 0;
  Telemetry telemetry{build, enumeration, management, [this] { return current; }};
};

template <class Expected>
void expect_cause(TelemetryWorld& world, Query query) {
  try {
    world.ask(query);
    FAIL() << "no error";
  } catch (const Expected& error) {
    EXPECT_TRUE(error.cause()) << error.what();
  }
}

TEST(Telemetry, IsThatOfTheVisibleDevice) {
  TelemetryWorld world;
  world.see("1,0");
  EXPECT_EQ(world.ask(&Telemetry::memory_usage), (Measurement{101, Unit::percent}));
  EXPECT_EQ(world.ask(&Telemetry::utilization), (Measurement{201, Unit::percent}));
  EXPECT_EQ(world.ask(&Telemetry::temperature), (Measurement{301, Unit::degrees_celsius}));
  EXPECT_EQ(world.ask(&Telemetry::power_draw), (Measurement{401, Unit::milliwatts}));
  EXPECT_EQ(world.ask(&Telemetry::clock_rate, "cuda:1"), (Measurement{500, Unit::megahertz}));
}

TEST(Telemetry, IsThatOfTheCurrentDeviceWhereNoneIsNamed) {
  TelemetryWorld world;
  world.current = 3;
  EXPECT_EQ(world.ask(&Telemetry::utilization, {}).value, 203);
  EXPECT_EQ(world.ask(&Telemetry::utilization, "cuda").value, 203);
  EXPECT_EQ(world.ask(&Telemetry::utilization).value, 200);
}

TEST(Telemetry, NeedsTheModule) {
  TelemetryWorld world;
  world.build.management_module = ManagementModule::missing;
  for (const Query query : queries) {
    try {
      world.ask(query);
      FAIL();
    } catch (const ModuleNotFoundError& error) {
      EXPECT_FALSE(error.cause());
      EXPECT_STREQ(error.what(), "pynvml is not installed");
    }
  }
  EXPECT_EQ(world.management.calls, 0);
}

TEST(Telemetry, SaysWhyTheModuleIsBroken) {
  TelemetryWorld world;
  world.build.management_module = ManagementModule::broken;
  for (const Query query : queries)
    expect_cause<ModuleNotFoundError>(world, query);
}

TEST(Telemetry, SaysThatTheDriverIsNotLoaded) {
  TelemetryWorld world;
  world.management.failing = ManagementStep::initialization;
  world.management.code = 9;
  for (const Query query : queries)
    expect_cause<RuntimeError>(world, query);
  try {
    world.ask(&Telemetry::utilization);
  } catch (const RuntimeError& error) {
    EXPECT_STREQ(error.what(), "cuda driver can't be loaded, is cuda enabled?");
  }
}

TEST(Telemetry, PassesOtherErrorsOfNvmlOn) {
  TelemetryWorld world;
  for (const auto step : {ManagementStep::load, ManagementStep::symbol,
                          ManagementStep::initialization, ManagementStep::measurement}) {
    world.management.failing = step;
    for (const Query query : queries)
      EXPECT_THROW(world.ask(query), ManagementError);
  }
}

TEST(Telemetry, AsksForANewerRocmWhereAmdSmiDoesNotStart) {
  TelemetryWorld world{Vendor::rocm};
  world.management.failing = ManagementStep::initialization;
  try {
    world.ask(&Telemetry::temperature);
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_TRUE(error.cause());
    EXPECT_NE(std::string{error.what()}.find("ROCm5.6"), std::string::npos);
  }
}

TEST(Telemetry, IsOfVisibleGpusOnly) {
  TelemetryWorld world;
  world.see("0");
  EXPECT_THROW(world.ask(&Telemetry::utilization, std::int64_t{1}), RuntimeError);
  EXPECT_THROW(world.ask(&Telemetry::utilization, "cpu"), ValueError);
  world.see("");
  EXPECT_THROW(world.ask(&Telemetry::utilization), IndexError);
}

}  // namespace
}  // namespace dlcert::cuda
