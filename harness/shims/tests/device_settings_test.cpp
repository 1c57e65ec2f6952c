// SPDX-License-Identifier: Apache-2.0
//
// What programs set of devices, and their end. Source: CUDA Runtime API, cudaSetDeviceFlags,
// cudaInitDevice, cudaDeviceSetLimit, cudaDeviceReset and so on.

#include <cuda_profiler_api.h>

#include "registered_code.hpp"
#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

class DeviceSettings : public ShimTest {
 protected:
  static unsigned int flags() {
    unsigned int found = 0;
    EXPECT_EQ(cudaGetDeviceFlags(&found), cudaSuccess);
    return found;
  }
  static std::size_t limit(cudaLimit limit) {
    std::size_t found = 0;
    EXPECT_EQ(cudaDeviceGetLimit(&found, limit), cudaSuccess);
    return found;
  }
};

// ---- flags --------------------------------------------------------------------------------------

TEST_F(DeviceSettings, FlagsAreOfOneDevice) {
  EXPECT_EQ(flags(), static_cast<unsigned int>(cudaDeviceMapHost));
  ASSERT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), cudaSuccess);
  EXPECT_EQ(flags(), static_cast<unsigned int>(cudaDeviceMapHost | cudaDeviceScheduleBlockingSync));
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(flags(), static_cast<unsigned int>(cudaDeviceMapHost));
}

TEST_F(DeviceSettings, FlagsThatAreNoneAreRefused) {
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceMask + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetDeviceFlags(nullptr), cudaErrorInvalidValue);
}

TEST_F(DeviceSettings, ADeviceIsInitialisedWithFlagsThatAreValid) {
  ASSERT_EQ(cudaInitDevice(1, cudaDeviceScheduleSpin, 0), cudaSuccess);
  EXPECT_EQ(driver_.devices_in_use(), std::vector<int>{1});
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(flags(), static_cast<unsigned int>(cudaDeviceMapHost));
  ASSERT_EQ(cudaInitDevice(1, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid), cudaSuccess);
  EXPECT_EQ(flags(), static_cast<unsigned int>(cudaDeviceMapHost | cudaDeviceScheduleSpin));
  EXPECT_EQ(cudaInitDevice(2, 0, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaInitDevice(0, 0, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaInitDevice(0, cudaDeviceMask + 1, cudaInitDeviceFlagsAreValid),
            cudaErrorInvalidValue);
}

// ---- limits -------------------------------------------------------------------------------------

TEST_F(DeviceSettings, LimitsAreKeptAsTheDeviceCanHaveThem) {
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 2001), cudaSuccess);
  EXPECT_EQ(limit(cudaLimitStackSize), 2016u);
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24), cudaSuccess);
  EXPECT_EQ(limit(cudaLimitMallocHeapSize), 1u << 24);
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 1000), cudaSuccess);
  EXPECT_EQ(limit(cudaLimitMaxL2FetchGranularity), 128u);
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1000), cudaSuccess);
  EXPECT_EQ(limit(cudaLimitPersistingL2CacheSize), 0u);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(limit(cudaLimitStackSize), 1024u);
}

TEST_F(DeviceSettings, LimitsThatTheDeviceLacksAreUnsupported) {
  std::size_t value = 0;
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 2), cudaErrorUnsupportedLimit);
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth), cudaErrorUnsupportedLimit);
  EXPECT_EQ(cudaDeviceGetLimit(&value, numbered<cudaLimit>(7)), cudaErrorUnsupportedLimit);
  EXPECT_EQ(cudaDeviceGetLimit(nullptr, cudaLimitStackSize), cudaErrorInvalidValue);
  driver_.restart({.vendor = own_vendor, .models = {{"Tesla V100", 7, 0}}});
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 24), cudaSuccess);
  EXPECT_EQ(limit(cudaLimitDevRuntimeSyncDepth), 24u);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 25), cudaErrorInvalidValue);
}

// ---- caches -------------------------------------------------------------------------------------

TEST_F(DeviceSettings, ACacheConfigurationIsKept) {
  cudaFuncCache found{};
  ASSERT_EQ(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetCacheConfig(&found), cudaSuccess);
  EXPECT_EQ(found, cudaFuncCachePreferL1);
  EXPECT_EQ(cudaDeviceSetCacheConfig(numbered<cudaFuncCache>(4)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetCacheConfig(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaCtxResetPersistingL2Cache(), cudaSuccess);
}

// Deprecated, and still called.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST_F(DeviceSettings, BanksOfSharedMemoryHaveFourBytes) {
  static constexpr char kernel = 0, unknown = 0;
  RegisteredCode code;
  code.add_kernel(&kernel, "kernel");
  cudaSharedMemConfig found{};
  EXPECT_EQ(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetSharedMemConfig(&found), cudaSuccess);
  EXPECT_EQ(found, cudaSharedMemBankSizeFourByte);
  EXPECT_EQ(cudaDeviceSetSharedMemConfig(numbered<cudaSharedMemConfig>(3)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetSharedMemConfig(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetSharedMemConfig(&kernel, cudaSharedMemBankSizeDefault), cudaSuccess);
  EXPECT_EQ(cudaFuncSetSharedMemConfig(&kernel, numbered<cudaSharedMemConfig>(3)),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetSharedMemConfig(&unknown, cudaSharedMemBankSizeDefault),
            cudaErrorInvalidDeviceFunction);
}
#pragma GCC diagnostic pop

TEST_F(DeviceSettings, WhatRemoteDevicesWroteCannotBeFlushed) {
  EXPECT_EQ(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                               cudaFlushGPUDirectRDMAWritesToOwner),
            cudaErrorNotSupported);
}

TEST_F(DeviceSettings, AProfilerMayBeStarted) {
  EXPECT_EQ(cudaProfilerStart(), cudaSuccess);
  EXPECT_EQ(cudaProfilerStop(), cudaSuccess);
}

// ---- reset --------------------------------------------------------------------------------------

TEST_F(DeviceSettings, AResetEndsTheSettingsOfItsDevice) {
  ASSERT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleSpin), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleSpin), cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(flags(), static_cast<unsigned int>(cudaDeviceMapHost));
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(flags(), static_cast<unsigned int>(cudaDeviceMapHost | cudaDeviceScheduleSpin));
}

}  // namespace
}  // namespace dlcert::shim
