// SPDX-License-Identifier: Apache-2.0
//
// Source of the rules: torch 2.4, default_generators, _set_rng_state_offset,
// _get_rng_state_offset, manual_seed, manual_seed_all.

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

class GeneratorsTest : public RuntimeTest {
 protected:
  Generators& generators() { return cuda().generators(); }
};

TEST_F(GeneratorsTest, ThereIsOnePerDeviceAfterInitializationAndNoneBefore) {
  EXPECT_TRUE(generators().defaults().empty());
  EXPECT_FALSE(lazy().initialized());
  init();
  EXPECT_EQ(generators().defaults().size(), 2U);
}

TEST_F(GeneratorsTest, SettingAnOffsetWaitsAndReadingOneInitializes) {
  generators().set_offset(8, std::int64_t{1});
  EXPECT_FALSE(lazy().initialized());
  EXPECT_EQ(generators().offset(std::int64_t{1}), 8U);
  EXPECT_TRUE(lazy().initialized());
  EXPECT_EQ(generators().offset(std::int64_t{0}), 0U);
  generators().set_offset(12, std::string("cuda:0"));
  EXPECT_EQ(generators().offset(Device{"cuda", 0}), 12U);
}

TEST_F(GeneratorsTest, ADeviceWithoutIndexIsTheOneThatIsCurrentWhenTheCallRuns) {
  generators().set_offset(4, std::string("cuda"));
  set_driver_device(1);
  init();
  EXPECT_EQ(generators().offset(std::int64_t{1}), 4U);
  EXPECT_EQ(generators().offset(std::int64_t{0}), 0U);
  EXPECT_EQ(generators().offset({}), 4U);
}

TEST_F(GeneratorsTest, OnlyTheIndexOfADeviceCounts) {
  cuda().devices().set(std::int64_t{1});
  generators().set_offset(4, std::string("cpu"));
  EXPECT_EQ(generators().offset(std::int64_t{1}), 4U);
  generators().set_offset(8, Device{"cpu", 0});
  EXPECT_EQ(generators().offset(std::int64_t{0}), 8U);
  EXPECT_THROW(static_cast<void>(generators().offset(std::int64_t{-1})), RuntimeError);
}

TEST_F(GeneratorsTest, ADeviceThatIsNoneIsToldAtOnceAndAMissingOneWhenTheCallRuns) {
  EXPECT_THROW(generators().set_offset(4, std::int64_t{-1}), RuntimeError);
  EXPECT_THROW(generators().set_offset(4, std::string("cuda:1x")), RuntimeError);
  generators().set_offset(4, std::int64_t{5});
  try {
    init();
    FAIL() << "no exception";
  } catch (const DeferredCudaCallError& error) {
    EXPECT_TRUE(says(error.what(), {"device 5", "generators_test.cpp"})) << error.what();
    EXPECT_THROW(std::rethrow_exception(error.cause()), IndexError);
  }
}

TEST_F(GeneratorsTest, SeedingConcernsTheCurrentDeviceOrAllAndRewinds) {
  init();
  generators().set_offset(8, std::int64_t{1});
  cuda().devices().set(std::int64_t{1});
  generators().manual_seed(2);
  EXPECT_EQ(generators().initial_seed(), 2U);
  EXPECT_EQ(generators().defaults()[1], (Generator{.seed = 2, .offset = 0}));
  EXPECT_EQ(generators().defaults()[0], Generator{});
  generators().manual_seed_all(7);
  EXPECT_EQ(generators().defaults(), (std::vector<Generator>(2, {.seed = 7})));
}

TEST_F(GeneratorsTest, TheLatestSeedsWaitForInitializationBehindOffsets) {
  generators().manual_seed(1);
  generators().manual_seed_all(2);
  generators().manual_seed(3);
  generators().set_offset(16, std::int64_t{0});
  EXPECT_FALSE(lazy().initialized());
  init();
  EXPECT_EQ(generators().defaults()[0], (Generator{.seed = 3, .offset = 0}));
  EXPECT_EQ(generators().defaults()[1], (Generator{.seed = 2, .offset = 0}));
}

}  // namespace
}  // namespace dlcert::cuda
