// SPDX-License-Identifier: Apache-2.0
//
// Attributes and occupancy of kernels. Source: CUDA Runtime API, cudaFuncGetAttributes,
// cudaFuncSetAttribute, cudaOccupancyMaxActiveBlocksPerMultiprocessor and so on.

#include "registered_code.hpp"
#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

class Functions : public ShimTest {
 protected:
  Functions() {
    code_.add_kernel(&kernel_, "_Z6kernelv");
    EXPECT_EQ(cudaGetDeviceProperties(&device_, 0), cudaSuccess);
  }

  static cudaFuncAttributes attributes() {
    cudaFuncAttributes found{};
    EXPECT_EQ(cudaFuncGetAttributes(&found, &kernel_), cudaSuccess);
    return found;
  }
  static int active(int threads, std::size_t shared_bytes) {
    int blocks = -1;
    EXPECT_EQ(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &kernel_, threads, shared_bytes),
        cudaSuccess);
    return blocks;
  }
  static cudaError_t clusters(int* out, unsigned int width) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {width, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(64);
    config.blockDim = dim3(128);
    config.attrs = &attribute;
    config.numAttrs = width == 0 ? 0 : 1;
    return cudaOccupancyMaxActiveClusters(out, &kernel_, &config);
  }

  RegisteredCode code_;
  cudaDeviceProp device_{};
  static constexpr char kernel_ = 0;
  static constexpr char unknown_ = 0;
};

// ---- attributes ---------------------------------------------------------------------------------

TEST_F(Functions, AttributesAreWithinTheLimitsOfTheDevice) {
  const cudaFuncAttributes found = attributes();
  EXPECT_EQ(found.maxThreadsPerBlock, device_.maxThreadsPerBlock);
  EXPECT_LE(found.numRegs * found.maxThreadsPerBlock, device_.regsPerBlock);
  EXPECT_EQ(found.binaryVersion, device_.major * 10 + device_.minor);
  EXPECT_EQ(static_cast<std::size_t>(found.maxDynamicSharedSizeBytes), device_.sharedMemPerBlock);
  EXPECT_EQ(found.preferredShmemCarveout, cudaSharedmemCarveoutDefault);
}

TEST_F(Functions, WhatIsSetIsTold) {
  const auto set = [](cudaFuncAttribute attribute, int value) {
    EXPECT_EQ(cudaFuncSetAttribute(&kernel_, attribute, value), cudaSuccess);
  };
  set(cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024);
  set(cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  set(cudaFuncAttributeRequiredClusterWidth, 2);
  set(cudaFuncAttributeRequiredClusterHeight, 1);
  set(cudaFuncAttributeRequiredClusterDepth, 1);
  set(cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  set(cudaFuncAttributeClusterSchedulingPolicyPreference, cudaClusterSchedulingPolicySpread);
  const cudaFuncAttributes found = attributes();
  EXPECT_EQ(found.maxDynamicSharedSizeBytes, 100 * 1024);
  EXPECT_EQ(found.preferredShmemCarveout, 100);
  EXPECT_EQ(found.requiredClusterWidth, 2);
  EXPECT_EQ(found.nonPortableClusterSizeAllowed, 1);
  EXPECT_EQ(found.clusterSchedulingPolicyPreference, cudaClusterSchedulingPolicySpread);
}

TEST_F(Functions, WhatIsSetIsOfOneDevice) {
  ASSERT_EQ(cudaFuncSetAttribute(&kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, 1),
            cudaSuccess);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(attributes().maxDynamicSharedSizeBytes, 48 * 1024);
}

TEST_F(Functions, WhatIsSetEndsWithAReset) {
  ASSERT_EQ(cudaFuncSetAttribute(&kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, 1),
            cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(attributes().maxDynamicSharedSizeBytes, 48 * 1024);
}

TEST_F(Functions, AKernelIsSetOfANamedDevice) {
  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(cudaGetKernel(&kernel, &kernel_), cudaSuccess);
  ASSERT_EQ(
      cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096, 1),
      cudaSuccess);
  EXPECT_EQ(attributes().maxDynamicSharedSizeBytes, 48 * 1024);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(attributes().maxDynamicSharedSizeBytes, 4096);
  EXPECT_EQ(
      cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096, 2),
      cudaErrorInvalidDevice);
}

TEST_F(Functions, WhatCannotBeWrittenIsRefused) {
  const auto set = [](int attribute, int value) {
    return cudaFuncSetAttribute(&kernel_, numbered<cudaFuncAttribute>(attribute), value);
  };
  const int optin = static_cast<int>(device_.sharedMemPerBlockOptin);
  EXPECT_EQ(set(cudaFuncAttributeMaxDynamicSharedMemorySize, optin), cudaSuccess);
  EXPECT_EQ(set(cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1), cudaErrorInvalidValue);
  EXPECT_EQ(set(cudaFuncAttributeMaxDynamicSharedMemorySize, -1), cudaErrorInvalidValue);
  EXPECT_EQ(set(cudaFuncAttributePreferredSharedMemoryCarveout, 101), cudaErrorInvalidValue);
  EXPECT_EQ(set(cudaFuncAttributeNonPortableClusterSizeAllowed, 2), cudaErrorInvalidValue);
  EXPECT_EQ(set(cudaFuncAttributeClusterDimMustBeSet, 1), cudaErrorInvalidValue);
  EXPECT_EQ(set(0, 1), cudaErrorInvalidValue);
  EXPECT_EQ(set(cudaFuncAttributeMax, 1), cudaErrorInvalidValue);
}

TEST_F(Functions, ACacheConfigurationIsAPreference) {
  EXPECT_EQ(cudaFuncSetCacheConfig(&kernel_, cudaFuncCachePreferL1), cudaSuccess);
  EXPECT_EQ(cudaFuncSetCacheConfig(&kernel_, numbered<cudaFuncCache>(4)), cudaErrorInvalidValue);
}

TEST_F(Functions, AKernelHasItsMangledName) {
  const char* name = nullptr;
  ASSERT_EQ(cudaFuncGetName(&name, &kernel_), cudaSuccess);
  EXPECT_STREQ(name, "_Z6kernelv");
  EXPECT_EQ(cudaFuncGetName(nullptr, &kernel_), cudaErrorInvalidValue);
}

TEST_F(Functions, WhatNobodyRegisteredIsNoFunction) {
  cudaFuncAttributes found{};
  const char* name = nullptr;
  int number = 0;
  std::size_t bytes = 0;
  cudaLaunchConfig_t config{};
  config.blockDim = dim3(32);
  constexpr auto refused = cudaErrorInvalidDeviceFunction;
  EXPECT_EQ(cudaFuncGetAttributes(&found, &unknown_), refused);
  EXPECT_EQ(cudaFuncSetAttribute(&unknown_, cudaFuncAttributeMaxDynamicSharedMemorySize, 0),
            refused);
  EXPECT_EQ(cudaFuncSetCacheConfig(&unknown_, cudaFuncCachePreferNone), refused);
  EXPECT_EQ(cudaFuncGetName(&name, &unknown_), refused);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, &unknown_, 32, 0), refused);
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &unknown_, 1, 32), refused);
  EXPECT_EQ(cudaOccupancyMaxPotentialClusterSize(&number, &unknown_, &config), refused);
  EXPECT_EQ(cudaOccupancyMaxActiveClusters(&number, &unknown_, &config), refused);
}

// ---- occupancy ----------------------------------------------------------------------------------

TEST_F(Functions, AMultiprocessorIsNeverOverfull) {
  for (int threads = 1; threads <= device_.maxThreadsPerBlock; threads += 17) {
    const int blocks = active(threads, 0);
    EXPECT_GE(blocks, 1);
    EXPECT_LE(blocks * threads, device_.maxThreadsPerMultiProcessor);
    EXPECT_LE(blocks, device_.maxBlocksPerMultiProcessor);
  }
  EXPECT_EQ(active(device_.maxThreadsPerBlock, 0), 2);
  EXPECT_EQ(active(device_.maxThreadsPerBlock + 1, 0), 0);
}

TEST_F(Functions, SharedMemoryLimitsTheBlocks) {
  EXPECT_EQ(active(32, device_.sharedMemPerBlockOptin), 1);
  EXPECT_EQ(active(32, device_.sharedMemPerBlockOptin + 1), 0);
  EXPECT_GT(active(32, 1024), active(32, 64 * 1024));
}

TEST_F(Functions, WhatIsAvailableIsWhatFits) {
  for (const int threads : {32, 100, 256, 1024})
    for (int blocks = 1; blocks <= active(threads, 0); ++blocks) {
      std::size_t bytes = 0;
      ASSERT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &kernel_, blocks, threads),
                cudaSuccess);
      EXPECT_GE(active(threads, bytes), blocks);
      EXPECT_LT(active(threads, bytes + 1), blocks);
    }
}

TEST_F(Functions, OccupancyIsAskedForBlocks) {
  int blocks = 0;
  std::size_t bytes = 0;
  const auto count = [&](int threads, unsigned int flags) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, &kernel_, threads, 0,
                                                                  flags);
  };
  EXPECT_EQ(count(32, cudaOccupancyDefault), cudaSuccess);
  EXPECT_EQ(count(32, cudaOccupancyDisableCachingOverride), cudaSuccess);
  EXPECT_EQ(count(32, 2), cudaErrorInvalidValue);
  EXPECT_EQ(count(0, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, &kernel_, 32, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &kernel_, 0, 32),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &kernel_, 3, 1024),
            cudaErrorInvalidValue);
}

TEST_F(Functions, AClusterHasEightBlocksUnlessMoreIsAllowed) {
  int size = 0;
  cudaLaunchConfig_t config{};
  config.blockDim = dim3(128);
  ASSERT_EQ(cudaOccupancyMaxPotentialClusterSize(&size, &kernel_, &config), cudaSuccess);
  EXPECT_EQ(size, 8);
  ASSERT_EQ(cudaFuncSetAttribute(&kernel_, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            cudaSuccess);
  ASSERT_EQ(cudaOccupancyMaxPotentialClusterSize(&size, &kernel_, &config), cudaSuccess);
  EXPECT_EQ(size, 16);
  EXPECT_EQ(cudaOccupancyMaxPotentialClusterSize(&size, &kernel_, nullptr), cudaErrorInvalidValue);
}

TEST_F(Functions, ClustersAreCounted) {
  int count = 0;
  ASSERT_EQ(clusters(&count, 2), cudaSuccess);
  EXPECT_EQ(count, active(128, 0) * device_.multiProcessorCount / 2);
  EXPECT_EQ(clusters(&count, 0), cudaErrorInvalidValue);
  EXPECT_EQ(clusters(&count, 9), cudaErrorInvalidClusterSize);
  for (const auto attribute :
       {cudaFuncAttributeRequiredClusterWidth, cudaFuncAttributeRequiredClusterHeight,
        cudaFuncAttributeRequiredClusterDepth})
    ASSERT_EQ(cudaFuncSetAttribute(&kernel_, attribute, 1), cudaSuccess);
  EXPECT_EQ(clusters(&count, 0), cudaSuccess);
  EXPECT_EQ(clusters(&count, 2), cudaErrorInvalidClusterSize);
}

TEST_F(Functions, OlderDevicesHaveClustersOfOneBlock) {
  driver_.restart({.vendor = own_vendor, .models = {{"Tesla V100", 7, 0}}});
  int count = 0;
  EXPECT_EQ(clusters(&count, 1), cudaSuccess);
  EXPECT_EQ(clusters(&count, 2), cudaErrorInvalidClusterSize);
  EXPECT_EQ(attributes().binaryVersion, 70);
}

}  // namespace
}  // namespace dlcert::shim
