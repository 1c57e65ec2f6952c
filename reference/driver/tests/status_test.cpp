// SPDX-License-Identifier: Apache-2.0

#include "dlcert/driver/status.hpp"

#include <gtest/gtest.h>

namespace dlcert::driver {
namespace {

TEST(StatusName, IsTheVendorsName) {
  EXPECT_STREQ(status_name(Vendor::cuda, Status::success), "cudaSuccess");
  EXPECT_STREQ(status_name(Vendor::cuda, Status::not_ready), "cudaErrorNotReady");
  EXPECT_STREQ(status_name(Vendor::cuda, Status::invalid_context), "cudaErrorDeviceUninitialized");
  EXPECT_STREQ(status_name(Vendor::cuda, Status::unknown), "cudaErrorUnknown");
  EXPECT_STREQ(status_name(Vendor::rocm, Status::success), "hipSuccess");
  EXPECT_STREQ(status_name(Vendor::rocm, Status::not_ready), "hipErrorNotReady");
  EXPECT_STREQ(status_name(Vendor::rocm, Status::invalid_context), "hipErrorInvalidContext");
  EXPECT_STREQ(status_name(Vendor::rocm, Status{1054}), "hipErrorTbd");
}

TEST(StatusText, IsTheVendorsSentence) {
  EXPECT_STREQ(status_text(Vendor::cuda, Status::success), "no error");
  EXPECT_STREQ(status_text(Vendor::cuda, Status::not_ready), "device not ready");
  EXPECT_STREQ(status_text(Vendor::cuda, Status::no_device), "no CUDA-capable device is detected");
  EXPECT_STREQ(status_text(Vendor::cuda, Status::unknown), "unknown error");
}

TEST(StatusText, IsTheNameInHip) {
  EXPECT_STREQ(status_text(Vendor::rocm, Status::success), "hipSuccess");
  EXPECT_STREQ(status_text(Vendor::rocm, Status::out_of_memory), "hipErrorOutOfMemory");
}

TEST(Status, MayHaveNoNameInStatusHpp) {
  EXPECT_STREQ(status_name(Vendor::cuda, Status{702}), "cudaErrorLaunchTimeout");
  EXPECT_STREQ(status_name(Vendor::rocm, Status{702}), "hipErrorLaunchTimeOut");
}

TEST(Status, IsUnrecognizedWhereTheVendorDoesNotKnowTheNumber) {
  for (const Status unknown : {Status{-1}, Status{10}, Status{998}, Status{1000000}}) {
    EXPECT_STREQ(status_name(Vendor::cuda, unknown), "unrecognized error code");
    EXPECT_STREQ(status_text(Vendor::cuda, unknown), "unrecognized error code");
    EXPECT_STREQ(status_name(Vendor::rocm, unknown), "hipErrorUnknown");
    EXPECT_STREQ(status_text(Vendor::rocm, unknown), "hipErrorUnknown");
  }
}

TEST(Status, IsNotSharedByTheVendorsThroughout) {
  EXPECT_STREQ(status_name(Vendor::cuda, Status::not_permitted), "cudaErrorNotPermitted");
  EXPECT_STREQ(status_name(Vendor::rocm, Status::not_permitted), "hipErrorUnknown");
  EXPECT_STREQ(status_name(Vendor::cuda, Status{1052}), "unrecognized error code");
}

TEST(ToText, NamesTheVendors) {
  EXPECT_EQ(to_text(Vendor::cuda), "cuda");
  EXPECT_EQ(to_text(Vendor::rocm), "rocm");
}

}  // namespace
}  // namespace dlcert::driver
