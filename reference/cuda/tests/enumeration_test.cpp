// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/enumeration.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dlcert/cuda/errors.hpp"

#include "fakes.hpp"

namespace dlcert::cuda {
namespace {

using driver::Status;
using driver::Vendor;

/// Its runtime answers as it is told.
template <class Kind>
class OverRuntime : public Kind {
 public:
  using Kind::Kind;

  int runtime_count = 5;
  Status runtime_status = Status::success;
  int version_of_driver = 0;

 protected:
  Status ask_runtime(int& count) override {
    if (runtime_status == Status::success) count = runtime_count;
    return runtime_status;
  }
  int driver_version() override { return version_of_driver; }
};

using TestWorld = World<OverRuntime<Enumeration>>;

std::string as_list(const std::vector<Ordinal>& ordinals) {
  return to_text(VisibleDevices{ordinals.begin(), ordinals.end()});
}

TEST(DeviceCount, IsZeroInABuildWithoutGpus) {
  TestWorld world;
  world.build.gpu = false;
  world.devices({"GPU-a"});
  EXPECT_EQ(world.enumeration.device_count(), 0);
  EXPECT_FALSE(world.enumeration.is_available());
  EXPECT_EQ(world.management.calls + world.state.runtime_calls, 0);
}

TEST(DeviceCount, IsThatOfTheManagementLibraryCutByTheVisibleList) {
  TestWorld world;
  world.devices({"GPU-a", "GPU-b", "GPU-c", "GPU-d"});
  EXPECT_EQ(world.enumeration.device_count(), 4);
  world.see("0,1,9,2");
  EXPECT_EQ(world.enumeration.device_count(), 2);
  world.see("9,0");
  EXPECT_EQ(world.enumeration.device_count(), 0);
  world.see("3,18446744073709551616");
  EXPECT_EQ(world.enumeration.device_count(), 1);
  EXPECT_EQ(world.state.runtime_calls, 0);
}

TEST(DeviceCount, AsksNoLibraryForAnEmptyList) {
  TestWorld world;
  for (const char* value : {"", "0,0"}) {
    world.see(value);
    EXPECT_EQ(world.enumeration.device_count(), 0);
  }
  EXPECT_EQ(world.management.calls, 0);
}

TEST(DeviceCount, TrustsAManagementLibraryWithoutDevices) {
  TestWorld world;
  EXPECT_EQ(world.enumeration.device_count(), 0);
  EXPECT_EQ(world.state.runtime_calls, 0);
}

TEST(DeviceCount, IsThatOfTheUuidsThatIdentifiersMapTo) {
  TestWorld world;
  world.devices({"GPU-9e", "GPU-eb", "GPU-e4"});
  world.see("GPU-e4,GPU-9");
  EXPECT_EQ(world.enumeration.device_count(), 2);
  world.see("GPU-9,GPU-zz");
  EXPECT_EQ(world.enumeration.device_count(), 1);
  world.see("GPU-e");
  EXPECT_EQ(world.enumeration.device_count(), 0);
  EXPECT_EQ(world.state.runtime_calls, 0);
}

TEST(DeviceCount, IsTheRuntimesForMigInstances) {
  TestWorld world;
  world.devices({"GPU-a"});
  world.see("MIG-a,MIG-b");
  EXPECT_EQ(world.enumeration.device_count(), 5);
  EXPECT_EQ(world.management.calls, 0);
}

TEST(DeviceCount, IsTheRuntimesForIdentifiersOnRocm) {
  TestWorld world{Vendor::rocm};
  world.devices({"GPU-a"});
  world.see("GPU-a");
  EXPECT_EQ(world.enumeration.device_count(), 5);
}

TEST(DeviceCount, IsTheRuntimesWhereTheManagementLibraryFails) {
  for (const auto step : {ManagementStep::load, ManagementStep::symbol,
                          ManagementStep::initialization, ManagementStep::count}) {
    TestWorld world;
    world.management.failing = step;
    EXPECT_EQ(world.enumeration.device_count(), 5);
    const bool is_silent = step == ManagementStep::load || step == ManagementStep::symbol;
    EXPECT_EQ(world.warnings.size(), is_silent ? 0u : 1u);
  }
}

TEST(DeviceCount, IsTheRuntimesWhereUuidsCannotBeHad) {
  for (const auto step : {ManagementStep::handle, ManagementStep::uuid}) {
    TestWorld world;
    world.devices({"GPU-a"});
    world.see("GPU-a");
    world.management.failing = step;
    EXPECT_EQ(world.enumeration.device_count(), 5);
    EXPECT_EQ(world.warnings.size(), 1u);
  }
}

TEST(DeviceCount, IsTheRuntimesOnRocmWithoutAWorkingModule) {
  for (const auto module : {ManagementModule::missing, ManagementModule::broken}) {
    TestWorld world{Vendor::rocm};
    world.devices({"GPU-a"});
    world.build.management_module = module;
    EXPECT_EQ(world.enumeration.device_count(), 5);
    EXPECT_TRUE(world.warnings.empty());
    TestWorld cuda;
    cuda.devices({"GPU-a"});
    cuda.build.management_module = module;
    EXPECT_EQ(cuda.enumeration.device_count(), 1);
  }
}

TEST(DeviceCount, SaysWhatFailed) {
  TestWorld world;
  world.management.failing = ManagementStep::initialization;
  static_cast<void>(world.enumeration.device_count());
  ASSERT_EQ(world.warnings.size(), 1u);
  EXPECT_EQ(world.warnings[0], "Can't initialize NVML (the fake fails)");
}

TEST(DeviceCount, FollowsTheEnvironmentUntilInitialization) {
  TestWorld world;
  world.devices({"GPU-a", "GPU-b", "GPU-c"});
  world.see("0");
  EXPECT_EQ(world.enumeration.device_count(), 1);
  world.see("0,1");
  EXPECT_EQ(world.enumeration.device_count(), 2);
  world.state.is_initialized = true;
  EXPECT_EQ(world.enumeration.device_count(), 2);
  world.see("0,1,2");
  EXPECT_EQ(world.enumeration.device_count(), 2);
}

TEST(DeviceCount, LetsTheErrorOfTheListEscape) {
  TestWorld world;
  world.see("0,+");
  EXPECT_THROW(static_cast<void>(world.enumeration.device_count()), ValueError);
}

TEST(RuntimeCount, IsZeroWithoutDevicesOrDriver) {
  for (const Status status : {Status::no_device, Status::insufficient_driver}) {
    TestWorld world;
    world.enumeration.runtime_status = status;
    EXPECT_EQ(world.enumeration.runtime_device_count(), 0);
    EXPECT_TRUE(world.warnings.empty());
  }
}

TEST(RuntimeCount, IsZeroWithAWarningOfADriverThatIsTooOld) {
  TestWorld world;
  world.enumeration.runtime_status = Status::insufficient_driver;
  world.enumeration.version_of_driver = 11040;
  EXPECT_EQ(world.enumeration.runtime_device_count(), 0);
  EXPECT_FALSE(world.enumeration.is_available());
  ASSERT_EQ(world.warnings.size(), 1u);
  EXPECT_EQ(world.warnings[0],
            "CUDA initialization: The NVIDIA driver on your system is too old (found version "
            "11040)");
}

TEST(RuntimeCount, IsZeroWithAWarningForOtherErrors) {
  for (const Status status : {Status::not_initialized, Status::unknown, Status{12345}}) {
    TestWorld world;
    world.enumeration.runtime_status = status;
    EXPECT_EQ(world.enumeration.runtime_device_count(), 0);
    EXPECT_EQ(world.enumeration.runtime_device_count(), 0);
    ASSERT_EQ(world.warnings.size(), 1u);
    EXPECT_NE(world.warnings[0].find("CUDA initialization"), std::string::npos);
  }
}

TEST(RuntimeCount, IsTheDrivers) {
  World<> world;
  EXPECT_GE(world.enumeration.runtime_device_count(), 0);
  EXPECT_EQ(world.state.runtime_calls, 1);
}

TEST(Availability, AsksTheRuntime) {
  TestWorld world;
  EXPECT_TRUE(world.enumeration.is_available());
  EXPECT_EQ(world.state.runtime_calls, 1);
  EXPECT_EQ(world.management.calls, 0);
}

TEST(Availability, AsksTheManagementLibraryWhereTheEnvironmentWantsIt) {
  TestWorld world;
  world.devices({"GPU-a"});
  world.variables["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1";
  EXPECT_TRUE(world.enumeration.is_available());
  EXPECT_EQ(world.state.runtime_calls, 0);
  for (const char* value : {"0", "true", "", " 1"}) {
    world.variables["PYTORCH_NVML_BASED_CUDA_CHECK"] = value;
    EXPECT_TRUE(world.enumeration.is_available());
  }
  EXPECT_EQ(world.state.runtime_calls, 4);
}

TEST(RocmUuids, SelectDevicesByWhatFollowsGpu) {
  const World<RocmUuidEnumeration> world{Vendor::rocm};
  const VisibleDevices candidates{std::string{"GPU-abba"}, std::string{"babab"}};
  const std::vector<std::string> uuids{"bababa", "babbab", "abba"};
  EXPECT_EQ(as_list(world.enumeration.uuids_to_ordinals(candidates, uuids)), "[2, 0]");
}

TEST(RocmUuids, CountDevicesWithoutTheRuntime) {
  World<OverRuntime<RocmUuidEnumeration>> world{Vendor::rocm};
  world.devices({"aa", "ab"});
  world.see("GPU-ab,GPU-aa");
  EXPECT_EQ(world.enumeration.device_count(), 2);
  EXPECT_EQ(world.enumeration.management_index(0), 1u);
}

// ---- the management library's index ----

TEST(ManagementIndex, GoesThroughTheVisibleList) {
  TestWorld world;
  world.see("2,0");
  EXPECT_EQ(world.enumeration.management_index(0), 2u);
  EXPECT_EQ(world.enumeration.management_index(1), 0u);
}

TEST(ManagementIndex, GoesThroughUuids) {
  TestWorld world;
  world.devices({"GPU-a", "GPU-b"});
  world.see("GPU-b");
  EXPECT_EQ(world.enumeration.management_index(0), 1u);
}

TEST(ManagementIndex, NamesTheListForADeviceOutsideIt) {
  TestWorld world;
  world.see("2,0");
  for (const std::int64_t index : {std::int64_t{2}, std::int64_t{-1}, INT64_MIN, INT64_MAX})
    EXPECT_THROW(static_cast<void>(world.enumeration.management_index(index)), RuntimeError);
  try {
    static_cast<void>(world.enumeration.management_index(2));
  } catch (const RuntimeError& error) {
    EXPECT_STREQ(error.what(), "device 2 is not visible (CUDA_VISIBLE_DEVICES=[2, 0])");
  }
}

TEST(ManagementIndex, IsNoneOfAnEmptyList) {
  TestWorld world;
  world.see("");
  EXPECT_THROW(static_cast<void>(world.enumeration.management_index(0)), IndexError);
}

TEST(ManagementIndex, IsNoneOfAMigInstance) {
  TestWorld world;
  world.devices({"GPU-a"});
  world.see("MIG-a");
  EXPECT_THROW(static_cast<void>(world.enumeration.management_index(0)), RuntimeError);
}

TEST(ManagementIndex, NeedsTheUuidsOfIdentifiers) {
  TestWorld world;
  world.see("GPU-a");
  world.management.failing = ManagementStep::uuid;
  EXPECT_THROW(static_cast<void>(world.enumeration.management_index(0)), RuntimeError);
}

TEST(ManagementIndex, IsOfOrdinalsOnlyOnRocm) {
  TestWorld world{Vendor::rocm};
  world.devices({"GPU-a"});
  world.see("GPU-a");
  EXPECT_THROW(static_cast<void>(world.enumeration.management_index(0)), RuntimeError);
  world.see("1");
  EXPECT_EQ(world.enumeration.management_index(0), 1u);
  EXPECT_THROW(static_cast<void>(world.enumeration.management_index(1)), RuntimeError);
}

}  // namespace
}  // namespace dlcert::cuda
