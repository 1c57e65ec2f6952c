// SPDX-License-Identifier: Apache-2.0
#include "register/profile.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sample/sample.hpp"

namespace dlcert {
namespace {

std::string policy_error(const std::string& choice) {
  try {
    resolve_policies(sample::sample_register(), {choice});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(Profile, PoliciesAreResolved) {
  const Register known = sample::sample_register();
  EXPECT_EQ(resolve_policies(known, {}).at("taste"), "sweet");
  EXPECT_EQ(resolve_policies(known, {"taste=sour"}).at("taste"), "sour");
  EXPECT_EQ(policy_error("tast=sour"), "unknown policy 'tast', did you mean 'taste'?");
  EXPECT_EQ(policy_error("taste=salty"), "policy taste: expected sour, sweet but found 'salty'");
  EXPECT_EQ(policy_error("taste"), "policy taste: expected sour, sweet but found ''");
}

}  // namespace
}  // namespace dlcert
