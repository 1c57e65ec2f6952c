// SPDX-License-Identifier: Apache-2.0
//
// The driver API by name: what is told of a name, and what a call of a function leads to.

#include <cuda.h>

#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

constexpr auto found = cudaDriverEntryPointSuccess;
constexpr auto not_found = cudaDriverEntryPointSymbolNotFound;
constexpr auto too_new = cudaDriverEntryPointVersionNotSufficent;

struct Answer {
  cudaError_t status = cudaSuccess;
  void* function = &function;  // whatever it was
  cudaDriverEntryPointQueryResult result = not_found;
};

Answer ask(const char* name, unsigned int version, unsigned long long flags = cudaEnableDefault) {
  Answer answer;
  answer.status =
      cudaGetDriverEntryPointByVersion(name, &answer.function, version, flags, &answer.result);
  return answer;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
Answer ask(const char* name) {
  Answer answer;
  answer.status =
      cudaGetDriverEntryPoint(name, &answer.function, cudaEnableDefault, &answer.result);
  return answer;
}
#pragma GCC diagnostic pop

class DriverEntryPointsTest : public ShimTest {
 protected:
  void expect(const Answer& answer, cudaDriverEntryPointQueryResult result) {
    EXPECT_EQ(answer.status, cudaSuccess);
    EXPECT_EQ(answer.result, result);
    EXPECT_EQ(answer.function != nullptr, result == found);
  }
};

TEST_F(DriverEntryPointsTest, ANameIsFoundFromTheVersionInWhichItCame) {
  expect(ask("cuMemAlloc", 12000), found);
  expect(ask("cuMemAlloc", 2000), found);
  expect(ask("cuMulticastCreate", 12010), found);
  expect(ask("cuMulticastCreate", 12000), too_new);
}

TEST_F(DriverEntryPointsTest, AnUnknownNameIsNotFound) {
  expect(ask("cuMemAllocate", 12000), not_found);
  expect(ask("", 12000), not_found);
  expect(ask("cudaMalloc", 12000), not_found);
}

TEST_F(DriverEntryPointsTest, ANameIsAskedForWithoutTheSuffixOfItsVersion) {
  expect(ask("cuMemAlloc_v2", 12000), not_found);
}

TEST_F(DriverEntryPointsTest, WithoutAVersionItIsThatOfTheRuntime) {
  expect(ask("cuMemAlloc"), found);
  expect(ask("cuCtxGetDevice"), found);
  expect(ask("cuMemDiscardBatchAsync"), CUDART_VERSION < 13000 ? too_new : found);
}

TEST_F(DriverEntryPointsTest, WhatIsNewerThanTheDriverIsNotFound) {
  driver_.restart({.driver_version = 12000});
  expect(ask("cuMulticastCreate"), not_found);
  expect(ask("cuMulticastCreate", 12000), not_found);
  expect(ask("cuMemAlloc"), found);
}

TEST_F(DriverEntryPointsTest, AVersionAboveTheDriversIsAnInvalidValue) {
  EXPECT_EQ(ask("cuInit", static_cast<unsigned>(driver_.driver_version())).status, cudaSuccess);
  EXPECT_EQ(ask("cuInit", static_cast<unsigned>(driver_.driver_version()) + 1).status,
            cudaErrorInvalidValue);
}

TEST_F(DriverEntryPointsTest, EachDefaultStreamMayBeAskedForAndNoOtherFlag) {
  expect(ask("cuMemcpy", 12000, cudaEnableLegacyStream), found);
  expect(ask("cuMemcpy", 12000, cudaEnablePerThreadDefaultStream), found);
  expect(ask("cuInit", 12000, cudaEnablePerThreadDefaultStream), found);
  EXPECT_EQ(ask("cuMemcpy", 12000, 3).status, cudaErrorInvalidValue);
}

TEST_F(DriverEntryPointsTest, TheNameAndThePlaceOfTheAnswerMayNotBeNull) {
  void* function = nullptr;
  EXPECT_EQ(ask(nullptr, 12000).status, cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuInit", nullptr, 12000, cudaEnableDefault, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaGetDriverEntryPointByVersion("cuInit", &function, 12000, cudaEnableDefault, nullptr),
      cudaSuccess);
  EXPECT_NE(function, nullptr);
}

TEST_F(DriverEntryPointsTest, WithoutADriverThatIsTheAnswer) {
  driver_.restart({.start_error = driver::Status::insufficient_driver});
  EXPECT_EQ(ask("cuInit").status, cudaErrorInsufficientDriver);
  EXPECT_EQ(ask("cuInit", 12000).status, cudaErrorInsufficientDriver);
}

// What PyTorch 2 asks for when it starts: it ends with an error if one of the first is missing.
TEST_F(DriverEntryPointsTest, PyTorchFindsWhatItAsksFor) {
  for (const char* const name :
       {"cuDeviceGetAttribute", "cuMemAddressReserve", "cuMemRelease", "cuMemMap",
        "cuMemAddressFree", "cuMemSetAccess", "cuMemUnmap", "cuMemCreate",
        "cuMemGetAllocationGranularity", "cuMemExportToShareableHandle",
        "cuMemImportFromShareableHandle", "cuMemsetD32Async", "cuStreamWriteValue32",
        "cuGetErrorString", "cuDevicePrimaryCtxGetState"})
    expect(ask(name, 12000), found);
  for (const char* const name :
       {"cuCtxFromGreenCtx", "cuCtxGetCurrent", "cuCtxPopCurrent", "cuCtxPushCurrent",
        "cuCtxSetCurrent", "cuGreenCtxCreate", "cuGreenCtxDestroy", "cuDevSmResourceSplitByCount",
        "cuDeviceGet", "cuDeviceGetDevResource", "cuDevResourceGenerateDesc",
        "cuMulticastAddDevice", "cuMulticastBindMem", "cuMulticastCreate", "cuMulticastUnbind"})
    expect(ask(name, 12080), found);
}

TEST_F(DriverEntryPointsTest, AFunctionIsThatOfTheVersionAndOfTheDefaultStream) {
  EXPECT_NE(ask("cuMemAlloc", 2000).function, ask("cuMemAlloc", 3020).function);
  EXPECT_EQ(ask("cuMemAlloc", 12000).function, ask("cuMemAlloc", 3020).function);
  const Answer legacy = ask("cuMemcpy", 12000, cudaEnableLegacyStream);
  EXPECT_EQ(ask("cuMemcpy", 12000).function, legacy.function);
  EXPECT_NE(ask("cuMemcpy", 12000, cudaEnablePerThreadDefaultStream).function, legacy.function);
}

TEST_F(DriverEntryPointsTest, AFunctionIsOfTheSameDevices) {
  const Answer answer = ask("cuCtxGetDevice", 12000);
  auto* const get_device = std::bit_cast<decltype(&cuCtxGetDevice)>(answer.function);
  int device = -1;
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(get_device(&device), 0);
  EXPECT_EQ(device, 1);
}

TEST_F(DriverEntryPointsTest, AFunctionThatIsNotModelledRefusesAndIsNamedOnce) {
  static_cast<void>(driver_.take_limits());
  static_cast<void>(cudaGetLastError());
  const Answer answer = ask("cuArrayCreate", 12000);
  EXPECT_TRUE(driver_.take_limits().empty());
  auto* const create = std::bit_cast<int (*)()>(answer.function);  // whatever it is given
  testing::internal::CaptureStderr();
  EXPECT_EQ(create(), 801);
  EXPECT_EQ(create(), 801);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "dlcert: cuArrayCreate_v2 is not modelled\n");
  EXPECT_EQ(driver_.take_limits(), std::vector<std::string>{"cuArrayCreate_v2 is not modelled"});
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(DriverEntryPointsTest, HandlesAndTablesOfTheDriverAreRefused) {
  cudaFunction_t function = nullptr;
  static const char stub = 0;
  EXPECT_EQ(cudaGetFuncBySymbol(&function, &stub), cudaErrorNotSupported);
  const void* table = nullptr;
  const cudaUUID_t id{};
  EXPECT_EQ(cudaGetExportTable(&table, &id), cudaErrorNotSupported);
  EXPECT_EQ(table, nullptr);
}

}  // namespace
}  // namespace dlcert::shim
