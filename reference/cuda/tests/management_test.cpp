// SPDX-License-Identifier: Apache-2.0
//
// Against management libraries that are loaded as the vendors' are.

#include "dlcert/cuda/management.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "dlcert/cuda/amd_smi.hpp"
#include "dlcert/cuda/nvml.hpp"

namespace dlcert::cuda {
namespace {

std::string module_path(const char* variant) {
  return std::string{DLCERT_MANAGEMENT_MODULES} + "/management_" + variant + ".so";
}

// At which step the UUIDs are not to be had, if they are not; and what is said of it.
struct Failure {
  std::optional<ManagementStep> step{};
  std::uint32_t code = 0;
  std::string message{};
};

template <class Library>
Failure failure_of(const char* variant) {
  Library library{module_path(variant)};
  try {
    library.initialize();
    static_cast<void>(library.uuids());
    return {};
  } catch (const ManagementError& error) {
    return {error.step(), error.code(), error.what()};
  }
}

TEST(NvmlLibrary, TellsItsDevices) {
  Nvml nvml{module_path("good")};
  nvml.initialize();
  EXPECT_EQ(nvml.device_count(), 3);
  EXPECT_EQ(nvml.uuids(), (std::vector<std::string>{"GPU-0", "GPU-1", "GPU-2"}));
}

TEST(NvmlLibrary, MeasuresInItsOwnUnits) {
  Nvml nvml{module_path("good")};
  nvml.initialize();
  EXPECT_EQ(nvml.utilization(2), (Measurement{52, Unit::percent}));
  EXPECT_EQ(nvml.memory_usage(1), (Measurement{31, Unit::percent}));
  EXPECT_EQ(nvml.temperature(0), (Measurement{60, Unit::degrees_celsius}));
  EXPECT_EQ(nvml.power_draw(0), (Measurement{81234, Unit::milliwatts}));
  EXPECT_EQ(nvml.clock_rate(1), (Measurement{1411, Unit::megahertz}));
}

TEST(NvmlLibrary, NamesTheFunctionTheCodeAndItsMeaning) {
  Nvml nvml{module_path("good")};
  nvml.initialize();
  try {
    static_cast<void>(nvml.power_draw(1));
    FAIL();
  } catch (const ManagementError& error) {
    EXPECT_EQ(error.step(), ManagementStep::measurement);
    EXPECT_STREQ(error.what(), "nvmlDeviceGetPowerUsage failed with 15: GPU is lost");
  }
}

TEST(NvmlLibrary, HasNoDeviceBeyondItsCount) {
  Nvml nvml{module_path("good")};
  nvml.initialize();
  for (const std::uint64_t index : {std::uint64_t{3}, std::uint64_t{1} << 32, UINT64_MAX})
    EXPECT_THROW(static_cast<void>(nvml.utilization(index)), ManagementError);
}

TEST(NvmlLibrary, FailsAtTheStepThatFails) {
  EXPECT_EQ(failure_of<Nvml>("absent").step, ManagementStep::load);
  EXPECT_EQ(failure_of<Nvml>("empty").step, ManagementStep::symbol);
  EXPECT_EQ(failure_of<Nvml>("no_count").step, ManagementStep::symbol);
  EXPECT_EQ(failure_of<Nvml>("init_fails").step, ManagementStep::initialization);
  EXPECT_EQ(failure_of<Nvml>("init_fails").code, 9u);
  EXPECT_EQ(failure_of<Nvml>("handle_fails").step, ManagementStep::handle);
  EXPECT_EQ(failure_of<Nvml>("uuid_fails").step, ManagementStep::uuid);
  EXPECT_FALSE(failure_of<Nvml>("good").step);
}

TEST(NvmlLibrary, IsLookedForAgainAfterItWasNotFound) {
  Nvml nvml{module_path("absent")};
  EXPECT_THROW(nvml.initialize(), ManagementError);
  EXPECT_THROW(nvml.initialize(), ManagementError);
  EXPECT_THROW(static_cast<void>(nvml.device_count()), ManagementError);
}

TEST(NvmlLibrary, IsNotBelievedWhatCannotBe) {
  const Failure too_many = failure_of<Nvml>("too_many");
  EXPECT_EQ(too_many.step, ManagementStep::count);
  EXPECT_EQ(too_many.message, "nvmlDeviceGetCount_v2 claims 2147483648 devices");
  EXPECT_EQ(failure_of<Nvml>("not_ascii").step, ManagementStep::uuid);
}

TEST(NvmlLibrary, MayFillTheBufferForAUuid) {
  Nvml nvml{module_path("unterminated")};
  nvml.initialize();
  EXPECT_EQ(nvml.uuids().front(), std::string(96, 'x'));
}

TEST(AmdSmiLibrary, TellsTheDevicesOfAllSockets) {
  AmdSmi smi{module_path("good")};
  smi.initialize();
  EXPECT_EQ(smi.device_count(), 3);
  EXPECT_EQ(smi.uuids(), (std::vector<std::string>{"uuid-0", "uuid-1", "uuid-2"}));
}

// Libraries of each release whose structures are known.
constexpr std::array known_releases{"good", "release_25", "release_26", "release_27"};

TEST(AmdSmiLibrary, MeasuresInItsOwnUnits) {
  for (const char* const release : known_releases) {
    SCOPED_TRACE(release);
    AmdSmi smi{module_path(release)};
    smi.initialize();
    EXPECT_EQ(smi.utilization(2), (Measurement{52, Unit::percent}));
    EXPECT_EQ(smi.memory_usage(1), (Measurement{1025, Unit::mebibytes}));
    EXPECT_EQ(smi.temperature(0), (Measurement{60, Unit::degrees_celsius}));
    EXPECT_EQ(smi.power_draw(1), (Measurement{301, Unit::watts}));
    EXPECT_EQ(smi.clock_rate(1), (Measurement{2101, Unit::megahertz}));
  }
}

TEST(AmdSmiLibrary, MeasuresAsLaterVersionsDo) {
  for (const char* const release : known_releases) {
    SCOPED_TRACE(release);
    CurrentAmdSmi smi{module_path(release)};
    smi.initialize();
    EXPECT_EQ(smi.utilization(2), (Measurement{52, Unit::percent}));
    EXPECT_EQ(smi.memory_usage(1), (Measurement{31, Unit::percent}));
    EXPECT_EQ(smi.temperature(0), (Measurement{60, Unit::degrees_celsius}));
    EXPECT_EQ(smi.power_draw(1), (Measurement{201, Unit::watts}));
    EXPECT_EQ(smi.clock_rate(1), (Measurement{2101, Unit::megahertz}));
  }
}

// What the tests above guard against: the power lies elsewhere since 25.
TEST(AmdSmiLibrary, IsMisreadByTheStructuresOfAnother) {
  class By24 : public AmdSmi {
   public:
    using AmdSmi::AmdSmi;

   protected:
    Release release() override { return Release::rocm_6_1; }
  };
  By24 smi{module_path("release_26")};
  smi.initialize();
  EXPECT_EQ(smi.power_draw(1), (Measurement{401, Unit::watts}));
}

TEST(AmdSmiLibrary, RefusesWhatTheDeviceDoesNotReport) {
  for (const char* const release : {"missing", "missing_25", "missing_26"}) {
    SCOPED_TRACE(release);
    AmdSmi smi{module_path(release)};
    smi.initialize();
    EXPECT_THROW(static_cast<void>(smi.utilization(0)), ManagementError);
    EXPECT_THROW(static_cast<void>(smi.power_draw(0)), ManagementError);
    EXPECT_THROW(static_cast<void>(smi.clock_rate(0)), ManagementError);
    CurrentAmdSmi current{module_path(release)};
    current.initialize();
    EXPECT_THROW(static_cast<void>(current.memory_usage(0)), ManagementError);
    EXPECT_EQ(current.power_draw(0), (Measurement{0, Unit::watts}));
  }
}

TEST(AmdSmiLibrary, GivesThePowerOfNowWhereThereIsNoAverage) {
  for (const char* const release : {"no_average", "no_average_26"}) {
    SCOPED_TRACE(release);
    CurrentAmdSmi current{module_path(release)};
    current.initialize();
    EXPECT_EQ(current.power_draw(1), (Measurement{301, Unit::watts}));
  }
}

TEST(AmdSmiLibrary, NamesTheReleaseWhoseStructuresAreNotKnown) {
  for (const char* const number : {"23", "28"}) {
    SCOPED_TRACE(number);
    AmdSmi smi{module_path((std::string{"release_"} + number).c_str())};
    smi.initialize();
    EXPECT_EQ(smi.device_count(), 3);
    EXPECT_EQ(smi.temperature(0), (Measurement{60, Unit::degrees_celsius}));
    using Query = Measurement (Management::*)(std::uint64_t);
    for (const Query query :
         std::initializer_list<Query>{&Management::memory_usage, &Management::utilization,
                                      &Management::power_draw, &Management::clock_rate}) {
      try {
        static_cast<void>((smi.*query)(0));
        ADD_FAILURE();
      } catch (const ManagementError& error) {
        EXPECT_EQ(error.step(), ManagementStep::measurement);
        EXPECT_EQ(error.what(),
                  "expected AMD SMI 24 to 27, whose structures are known, but "
                  "amdsmi_get_lib_version says " +
                      std::string{number} + ".1.2");
      }
    }
  }
}

TEST(AmdSmiLibrary, MustSayWhichReleaseItIs) {
  AmdSmi smi{module_path("no_version")};
  smi.initialize();
  try {
    static_cast<void>(smi.power_draw(0));
    FAIL();
  } catch (const ManagementError& error) {
    EXPECT_EQ(error.step(), ManagementStep::symbol);
  }
}

TEST(AmdSmiLibrary, FailsAtTheStepThatFails) {
  EXPECT_EQ(failure_of<AmdSmi>("absent").step, ManagementStep::load);
  EXPECT_EQ(failure_of<AmdSmi>("empty").step, ManagementStep::symbol);
  EXPECT_EQ(failure_of<AmdSmi>("init_fails").step, ManagementStep::initialization);
  EXPECT_EQ(failure_of<AmdSmi>("handle_fails").step, ManagementStep::handle);
  EXPECT_EQ(failure_of<AmdSmi>("uuid_fails").step, ManagementStep::uuid);
  EXPECT_EQ(failure_of<AmdSmi>("too_many").step, ManagementStep::handle);
  EXPECT_EQ(failure_of<AmdSmi>("growing").step, ManagementStep::handle);
  EXPECT_FALSE(failure_of<AmdSmi>("unterminated").step);
  AmdSmi smi{module_path("good")};
  smi.initialize();
  EXPECT_THROW(static_cast<void>(smi.utilization(3)), ManagementError);
}

}  // namespace
}  // namespace dlcert::cuda
