// SPDX-License-Identifier: Apache-2.0
//
// Source of the rules: torch 2.4, get_arch_list, get_gencode_flags, _extract_arch_version,
// _check_capability, _check_cubins, is_bf16_supported.

#include <map>

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

class ArchitecturesTest : public RuntimeTest {
 protected:
  /// What a library with these flags warns of at initialization on a device of this capability.
  std::vector<std::string> warnings_of(int major, int minor, const std::string& flags,
                                       driver::Vendor vendor = driver::Vendor::cuda) {
    restart({.vendor = vendor, .devices = 1, .models = {{"Card", major, minor}}});
    make({.vendor = vendor, .architecture_flags = flags});
    init();
    return take_warnings();
  }
  static std::string flags_of(Cuda& cuda) { return cuda.architectures().gencode_flags(); }
};

TEST_F(ArchitecturesTest, AnArchitectureIsTheNumberBehindTheUnderscore) {
  EXPECT_EQ(parse_architecture("sm_90a"), 90);
  EXPECT_EQ(parse_architecture("compute_80"), 80);
  EXPECT_EQ(parse_architecture("sm_100"), 100);
  for (const char* const text : {"", "sm90", "sm_", "sm_a", "sm_9x", "sm_90aa", "sm_-9", "sm_9_0"})
    EXPECT_TRUE(says(error_of<ValueError>([&] { static_cast<void>(parse_architecture(text)); }),
                     {"'", text}));
}

TEST_F(ArchitecturesTest, ListAndFlagsAreThoseOfTheBuild) {
  make({.architecture_flags = "sm_70 compute_80"});
  EXPECT_EQ(cuda().architectures().list(), (std::vector<std::string>{"sm_70", "compute_80"}));
  EXPECT_EQ(flags_of(cuda()),
            "-gencode compute=compute_70,code=sm_70 -gencode compute=compute_80,code=compute_80");
  EXPECT_FALSE(lazy().initialized());
}

TEST_F(ArchitecturesTest, FlagsKeepTheLetterOfAnArchitecture) {
  make({.architecture_flags = "sm_90a"});
  EXPECT_EQ(flags_of(cuda()), "-gencode compute=compute_90a,code=sm_90a");
}

TEST_F(ArchitecturesTest, WithoutFlagsOrGpuBothAreEmpty) {
  EXPECT_TRUE(cuda().architectures().list().empty());
  EXPECT_EQ(flags_of(cuda()), "");
  restart({.devices = 0});
  make({.architecture_flags = "sm_70"});
  EXPECT_TRUE(cuda().architectures().list().empty());
  EXPECT_EQ(flags_of(cuda()), "");
}

TEST_F(ArchitecturesTest, AnOldDeviceIsNamed) {
  const auto warnings = warnings_of(3, 0, "sm_50");
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_TRUE(says(warnings[0], {"GPU0", "Card", "3.0", "5.0"})) << warnings[0];
}

TEST_F(ArchitecturesTest, ADeviceAsOldAsTheOldestArchitectureIsNot) {
  EXPECT_TRUE(warnings_of(5, 0, "sm_50").empty());
  EXPECT_TRUE(warnings_of(6, 1, "sm_80 sm_60").empty());
}

TEST_F(ArchitecturesTest, WithoutAListTheOldestIsThreePointFive) {
  ASSERT_EQ(warnings_of(3, 0, "").size(), 1U);
  EXPECT_TRUE(warnings_of(3, 5, "").empty());
}

TEST_F(ArchitecturesTest, ADeviceOfAnotherMajorVersionIsIncompatible) {
  const auto warnings = warnings_of(9, 0, "sm_70 sm_80");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(says(warnings[0], {"GPU0", "Card", "sm_90", "sm_70 sm_80"})) << warnings[0];
  EXPECT_TRUE(warnings_of(8, 6, "sm_70 sm_80").empty());
}

TEST_F(ArchitecturesTest, CodeForVirtualArchitecturesDoesNotCount) {
  EXPECT_EQ(warnings_of(9, 0, "compute_90").size(), 1U);
}

TEST_F(ArchitecturesTest, NothingIsCheckedOnRocm) {
  EXPECT_TRUE(warnings_of(3, 0, "gfx_900", driver::Vendor::rocm).empty());
}

TEST_F(ArchitecturesTest, EachDeviceIsCheckedForItself) {
  restart({.devices = 3, .models = {{"A", 8, 0}, {"B", 9, 0}, {"C", 8, 6}}});
  make({.architecture_flags = "sm_80"});
  init();
  const auto warnings = take_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(says(warnings[0], {"GPU1", "B"})) << warnings[0];
}

// ---- bfloat16 -----------------------------------------------------------------------------------

TEST_F(ArchitecturesTest, Bfloat16IsThereOnRocm) {
  restart({.vendor = driver::Vendor::rocm});
  make({.vendor = driver::Vendor::rocm});
  EXPECT_TRUE(cuda().architectures().supports_bf16(false));
}

TEST_F(ArchitecturesTest, Bfloat16IsThereFromCapabilityEightWithCudaEleven) {
  const auto supports = [&](int major, int version) {
    restart({.models = {{"Card", major, 0}}, .version = version});
    return make({}).architectures().supports_bf16(false);
  };
  EXPECT_TRUE(supports(8, 11000));
  EXPECT_FALSE(supports(7, 11000));
  EXPECT_FALSE(supports(8, 10020));
}

/// Counts trials, which fail on odd devices.
class CountedTrials : public Architectures {
 public:
  using Architectures::Architectures;
  std::map<std::int64_t, int> trials;

 protected:
  bool try_bf16(std::int64_t device) override {
    ++trials[device];
    return device % 2 == 0;
  }
};

TEST_F(ArchitecturesTest, ATrialDecidesOncePerDeviceWhereEmulationCounts) {
  restart({.devices = 20, .models = std::vector<driver::SimulatedDevice>(20, {"Card", 7, 0})});
  CountedTrials architectures(
      cuda().properties(), [] { return true; }, [](const auto&) {});
  const auto ask = [&](std::int64_t device) {
    cuda().devices().set(device);
    return architectures.supports_bf16(true);
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(ask(0));
    EXPECT_FALSE(ask(1));
  }
  EXPECT_EQ(architectures.trials, (std::map<std::int64_t, int>{{0, 1}, {1, 1}}));
  EXPECT_FALSE(architectures.supports_bf16(false));
  for (std::int64_t device = 2; device < 17; ++device)
    ask(device);
  ask(1);
  EXPECT_EQ(architectures.trials[1], 1) << "one of the last 16";
  ask(0);
  EXPECT_EQ(architectures.trials[0], 2) << "the 17th";
}

TEST_F(ArchitecturesTest, TheTrialAllocatesOnTheDevice) {
  restart({.devices = 2, .models = {{"Card", 7, 0}, {"Card", 7, 0}}});
  make({});
  cuda().devices().set(std::int64_t{1});
  EXPECT_TRUE(cuda().architectures().supports_bf16(true));
  EXPECT_EQ(driver_.devices_in_use(), std::vector{1});
}

TEST_F(ArchitecturesTest, WithoutGpuBfloat16RaisesAsInitializationDoes) {
  make({.gpu = false});
  EXPECT_THROW(static_cast<void>(cuda().architectures().supports_bf16(true)), AssertionError);
}

}  // namespace
}  // namespace dlcert::cuda
