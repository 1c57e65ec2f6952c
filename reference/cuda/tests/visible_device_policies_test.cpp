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

TEST(DriverRules, HaveNoErrorsAndNoLimit) {
  const DriverRules rules{70};
  EXPECT_EQ(devices_or_throw(rules.parse(std::nullopt)).size(), 70u);
  EXPECT_EQ(to_text(devices_or_throw(rules.parse("0,+,1"))), "[0]");
  EXPECT_EQ(devices_or_throw(rules.parse(std::string(5000, '9'))).size(), 1u);
  EXPECT_EQ(to_text(devices_or_throw(rules.parse("\x1c"
                                                 "0"))),
            "[]");
}

TEST(DriverRules, SayWhereTheDocumentationIsSilent) {
  const DriverRules rules{4};
  for (const char* value : {"0x1", "01", "4294967296", "GPU-", "GPU-ABCDEF01", "gpu-1", " GPU-1",
                            "GPU-a, GPU-b", "0,GPU-8", "GPU-8,MIG-9", "MIG-x,MIG-y", "GPU-a,GPU-a",
                            "GPU-ab,GPU-a", "GPU-x", "MIG-a", "9,9", "\x1c,0", "1\xc2\xb2"})
    EXPECT_FALSE(rules.is_documented(value)) << value;
  for (const char* value : {"3", " 3 ", "+3", "-0", "-1", "+", "1gpu2", "0-2", "", "none", "all",
                            "0,0", "9", "GPU-8932f937", "GPU-8a,0", "0,x,01"})
    EXPECT_TRUE(rules.is_documented(value)) << value;
  EXPECT_TRUE(rules.is_documented(std::nullopt));
}

}  // namespace
}  // namespace dlcert::cuda
