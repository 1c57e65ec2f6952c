// SPDX-License-Identifier: Apache-2.0
#include "register/features.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sample/sample.hpp"

namespace dlcert {
namespace {

std::vector<std::string> ids_of(std::string_view requirement, Role role, Platform platform) {
  const Register& known = Register::embedded();
  std::vector<std::string> ids;
  for (const Feature* feature : features_of(known, *known.find(requirement), role, platform))
    ids.push_back(feature->id);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(FeaturesOf, ACheckWithoutDevicesAreThoseOfItsRequirement) {
  EXPECT_EQ(ids_of("abi.dtype.int", Role::consumer, Platform::any), Ids{"dtypes"});
  EXPECT_EQ(ids_of("stream.cuda.zero-rejected", Role::producer, Platform::any),
            Ids{"cuda-streams"});
}

TEST(FeaturesOf, ACheckOnDevicesAreThoseOfTheVendor) {
  EXPECT_EQ(ids_of("abi.dtype.int", Role::consumer, Platform::cuda), Ids{"cuda-streams"});
  EXPECT_EQ(ids_of("stream.producer-orders", Role::producer, Platform::rocm), Ids{"rocm-streams"});
}

TEST(FeaturesOf, ASharedRequirementAreAllThatItIsPartOf) {
  EXPECT_EQ(ids_of("stream.producer-orders", Role::producer, Platform::any),
            (Ids{"cuda-streams", "rocm-streams"}));
}

TEST(FeaturesOf, ACheckOfARuntimeAreThoseOfItsRequirement) {
  EXPECT_EQ(ids_of("runtime.init.lazy", Role::runtime, Platform::rocm), Ids{"runtime"});
}

TEST(Optional, IsAMayAndWhatTheFeatureSays) {
  const Register known = sample::sample_register();
  const auto optional = [&](std::string_view id, Role role) {
    return is_optional(known, *known.find(id), role);
  };
  EXPECT_TRUE(optional("kept.delta", Role::consumer));   // MAY
  EXPECT_TRUE(optional("kept.beta", Role::consumer));    // listed
  EXPECT_TRUE(optional("kept.gamma", Role::consumer));   // listed in this role
  EXPECT_FALSE(optional("kept.gamma", Role::producer));  // and not in that one
  EXPECT_FALSE(optional("kept.alpha", Role::producer));
}

TEST(Shows, IsWhatTheFeatureLists) {
  const Register known = sample::sample_register();
  const Feature& kept = *known.find_feature("kept");
  EXPECT_TRUE(shows(kept, *known.find("kept.alpha"), Role::producer));
  EXPECT_FALSE(shows(kept, *known.find("kept.gamma"), Role::producer));
}

TEST(Shows, IsAnythingWhereTheFeatureListsNothing) {
  const Register known = sample::sample_register();
  EXPECT_TRUE(shows(*known.find_feature("bare"), *known.find("bare.one"), Role::producer));
}

TEST(Shows, IsNothingWhereAnotherFeatureClaimsIt) {
  const Register& known = Register::embedded();
  const Requirement& lanes = *known.find("abi.dtype.lanes-zero");
  EXPECT_FALSE(shows(*known.find_feature("malformed-input"), lanes, Role::consumer));
}

}  // namespace
}  // namespace dlcert
