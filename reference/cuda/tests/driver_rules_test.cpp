// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/driver_rules.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fakes.hpp"

namespace dlcert::cuda {
namespace {

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
