// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/visible_device_policies.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dlcert/cuda/errors.hpp"

#include "fakes.hpp"

namespace dlcert::cuda {
namespace {

template <class Rules>
std::string rocm_list(const Variables& variables) {
  const Rules rules{driver::Vendor::rocm, environment_of(variables)};
  return to_text(devices_or_throw(rules.visible_devices()));
}

TEST(SignOnlyEnds, EndsTheListAtASignWithoutDigits) {
  const SignOnlyEnds<VisibleDeviceRules> rules{driver::Vendor::cuda};
  EXPECT_EQ(to_text(devices_or_throw(rules.parse("0,-gpu,1"))), "[0]");
  EXPECT_EQ(to_text(devices_or_throw(rules.parse("+"))), "[]");
  const Variables variables{{"CUDA_VISIBLE_DEVICES", "1,+"}};
  EXPECT_EQ(rocm_list<SignOnlyEnds<RocrComposition>>(variables), "[1]");
}

TEST(HipFallsBackToCuda, WhereItsOwnVariableIsUnset) {
  EXPECT_EQ(rocm_list<HipFallsBackToCuda>({{"CUDA_VISIBLE_DEVICES", "1"}}), "[1]");
  EXPECT_EQ(
      rocm_list<HipFallsBackToCuda>({{"CUDA_VISIBLE_DEVICES", "1"}, {"HIP_VISIBLE_DEVICES", ""}}),
      "[]");
  const Variables none;
  EXPECT_STREQ((HipFallsBackToCuda{driver::Vendor::cuda, environment_of(none)}.variable_name()),
               "CUDA_VISIBLE_DEVICES");
}

TEST(RocrComposition, CountsTheElementsOfRocr) {
  EXPECT_EQ(rocm_list<RocrComposition>({{"ROCR_VISIBLE_DEVICES", "3,5"}}), "[0, 1]");
  EXPECT_EQ(rocm_list<RocrComposition>({{"ROCR_VISIBLE_DEVICES", ""}}), "[0]");
  EXPECT_EQ(
      rocm_list<RocrComposition>({{"ROCR_VISIBLE_DEVICES", "7"}, {"CUDA_VISIBLE_DEVICES", "1,0"}}),
      "[0]");
}

TEST(RocrComposition, PrefersHipOfNoMoreElements) {
  EXPECT_EQ(
      rocm_list<RocrComposition>({{"ROCR_VISIBLE_DEVICES", "3,5"}, {"HIP_VISIBLE_DEVICES", "1"}}),
      "[1]");
  const Variables variables{{"ROCR_VISIBLE_DEVICES", "3"}, {"HIP_VISIBLE_DEVICES", "0,1"}};
  EXPECT_THROW(static_cast<void>(rocm_list<RocrComposition>(variables)), RuntimeError);
}

TEST(RocrComposition, FallsBackAsItsPredecessorDoes) {
  EXPECT_EQ(rocm_list<RocrComposition>({{"CUDA_VISIBLE_DEVICES", "1"}}), "[1]");
}

TEST(RocrComposition, ChangesNothingForCuda) {
  const Variables variables{{"ROCR_VISIBLE_DEVICES", "0"}, {"CUDA_VISIBLE_DEVICES", "2,1"}};
  const RocrComposition rules{driver::Vendor::cuda, environment_of(variables)};
  EXPECT_EQ(to_text(devices_or_throw(rules.visible_devices())), "[2, 1]");
}

}  // namespace
}  // namespace dlcert::cuda
