// SPDX-License-Identifier: Apache-2.0
//
// Memory pools. Source: CUDA Runtime API 13.0, "Stream Ordered Memory Allocator" and "Device
// Management".

#include <array>

#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

class PoolTest : public ShimTest {
 protected:
  static cudaMemPoolProps properties(int device = 0) {
    cudaMemPoolProps made{};
    made.allocType = cudaMemAllocationTypePinned;
    made.location.type = cudaMemLocationTypeDevice;
    made.location.id = device;
    return made;
  }
  static cudaMemPool_t pool(int device = 0) {
    cudaMemPool_t made = nullptr;
    const cudaMemPoolProps of = properties(device);
    EXPECT_EQ(cudaMemPoolCreate(&made, &of), cudaSuccess);
    return made;
  }
  static std::uint64_t get(cudaMemPool_t of, cudaMemPoolAttr attribute) {
    std::uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(of, attribute, &value), cudaSuccess);
    return value;
  }
  static cudaMemPool_t first(int device = 0) {
    cudaMemPool_t found = nullptr;
    EXPECT_EQ(cudaDeviceGetDefaultMemPool(&found, device), cudaSuccess);
    return found;
  }

  cudaStream_t stream_ = new_stream();
};

// As RMM's cuda_async_memory_resource does.
TEST_F(PoolTest, AnAllocatorMakesAPoolAndKeepsWhatItReleased) {
  const cudaMemPool_t own = pool();
  std::uint64_t threshold = UINT64_MAX;
  int reuse = 0;
  ASSERT_EQ(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold), cudaSuccess);
  ASSERT_EQ(cudaMemPoolSetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse), cudaSuccess);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&memory, 1024, own, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory, 1, 1024, stream_), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(memory, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(get(own, cudaMemPoolAttrReservedMemCurrent), 1024u);
  EXPECT_EQ(get(own, cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_EQ(get(own, cudaMemPoolAttrUsedMemHigh), 1024u);
  ASSERT_EQ(cudaMemPoolTrimTo(own, 0), cudaSuccess);
  EXPECT_EQ(get(own, cudaMemPoolAttrReservedMemCurrent), 0u);
  ASSERT_EQ(cudaMemPoolDestroy(own), cudaSuccess);
}

TEST_F(PoolTest, FlagsAreIntsAndAmountsAreNot) {
  const cudaMemPool_t own = pool();
  std::array<int, 2> flag{7, 7};
  ASSERT_EQ(cudaMemPoolGetAttribute(own, cudaMemPoolReuseFollowEventDependencies, flag.data()),
            cudaSuccess);
  EXPECT_EQ(flag, (std::array{1, 7}));
  flag[0] = 0;
  ASSERT_EQ(cudaMemPoolSetAttribute(own, cudaMemPoolReuseAllowInternalDependencies, flag.data()),
            cudaSuccess);
  ASSERT_EQ(cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowInternalDependencies, flag.data()),
            cudaSuccess);
  EXPECT_EQ(flag, (std::array{0, 7}));
  std::uint64_t amount = 1;
  EXPECT_EQ(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &amount),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &amount),
            cudaErrorInvalidValue);
}

TEST_F(PoolTest, AStreamTakesFromTheCurrentPoolOfItsDevice) {
  const cudaMemPool_t own = pool();
  ASSERT_EQ(cudaDeviceSetMemPool(0, own), cudaSuccess);
  cudaMemPool_t found = nullptr;
  ASSERT_EQ(cudaDeviceGetMemPool(&found, 0), cudaSuccess);
  EXPECT_EQ(found, own);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocAsync(&memory, 512, stream_), cudaSuccess);
  EXPECT_EQ(get(own, cudaMemPoolAttrUsedMemCurrent), 512u);
  ASSERT_EQ(cudaMemPoolDestroy(own), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetMemPool(&found, 0), cudaSuccess);
  EXPECT_EQ(found, first());
  EXPECT_EQ(cudaDeviceSetMemPool(1, first(0)), cudaErrorInvalidValue);
}

TEST_F(PoolTest, PoolsAreFoundByPlace) {
#if CUDART_VERSION >= 13000
  cudaMemLocation device{cudaMemLocationTypeDevice, 1};
  const cudaMemPool_t own = pool(1);
  cudaMemPool_t found = nullptr;
  ASSERT_EQ(cudaMemGetDefaultMemPool(&found, &device, cudaMemAllocationTypePinned), cudaSuccess);
  EXPECT_EQ(found, first(1));
  ASSERT_EQ(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, own), cudaSuccess);
  ASSERT_EQ(cudaMemGetMemPool(&found, &device, cudaMemAllocationTypePinned), cudaSuccess);
  EXPECT_EQ(found, own);
  EXPECT_EQ(cudaMemGetMemPool(&found, &device, cudaMemAllocationTypeInvalid),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemGetMemPool(&found, nullptr, cudaMemAllocationTypePinned), cudaErrorInvalidValue);
  device.id = 9;
  EXPECT_EQ(cudaMemGetMemPool(&found, &device, cudaMemAllocationTypePinned), cudaErrorInvalidValue);
#endif
}

TEST_F(PoolTest, OtherDevicesAreGivenAccess) {
  cudaMemAccessDesc given{{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
  auto found = cudaMemAccessFlagsProtNone;
  ASSERT_EQ(cudaMemPoolSetAccess(first(), &given, 1), cudaSuccess);
  ASSERT_EQ(cudaMemPoolGetAccess(&found, first(), &given.location), cudaSuccess);
  EXPECT_EQ(found, cudaMemAccessFlagsProtReadWrite);
  EXPECT_EQ(cudaMemPoolSetAccess(first(), nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolGetAccess(&found, first(), nullptr), cudaErrorInvalidValue);
  given.location.type = cudaMemLocationTypeHost;
  EXPECT_EQ(cudaMemPoolSetAccess(first(), &given, 1), cudaErrorInvalidValue);
}

// ---- what is refused ----------------------------------------------------------------------------

TEST_F(PoolTest, RefusesWhatIsNoPool) {
  const auto none = std::bit_cast<cudaMemPool_t>(std::uintptr_t{64});
  cudaMemPool_t found = nullptr;
  void* memory = nullptr;
  std::uint64_t value = 0;
  EXPECT_EQ(cudaMallocFromPoolAsync(&memory, 64, none, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocFromPoolAsync(nullptr, 64, first(), stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocFromPoolAsync(&memory, 0, first(), stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolTrimTo(none, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolDestroy(none), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolDestroy(first()), cudaErrorInvalidValue) << "a default pool";
  EXPECT_EQ(cudaMemPoolGetAttribute(none, cudaMemPoolAttrReleaseThreshold, &value),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolGetAttribute(first(), cudaMemPoolAttrReleaseThreshold, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolSetAccess(none, nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(static_cast<int>(cudaDeviceGetDefaultMemPool(nullptr, 0)), 1);
  EXPECT_EQ(static_cast<int>(cudaDeviceGetMemPool(&found, 9)), 101);
}

TEST_F(PoolTest, RefusesPropertiesThatAPoolCannotHave) {
  cudaMemPool_t made = nullptr;
  EXPECT_EQ(cudaMemPoolCreate(&made, nullptr), cudaErrorInvalidValue);
  cudaMemPoolProps wrong = properties(9);
  EXPECT_EQ(cudaMemPoolCreate(&made, &wrong), cudaErrorInvalidValue);
  wrong = properties();
  wrong.allocType = cudaMemAllocationTypeInvalid;
  EXPECT_EQ(cudaMemPoolCreate(&made, &wrong), cudaErrorInvalidValue);
  wrong = properties();
  wrong.reserved[0] = 1;
  EXPECT_EQ(cudaMemPoolCreate(&made, &wrong), cudaErrorInvalidValue);
  wrong = properties();
  wrong.location.type = cudaMemLocationTypeHostNumaCurrent;
  EXPECT_EQ(cudaMemPoolCreate(&made, &wrong), cudaErrorInvalidValue);
  wrong.location.type = cudaMemLocationTypeHost;
  wrong.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  EXPECT_EQ(cudaMemPoolCreate(&made, &wrong), cudaErrorInvalidValue);
  EXPECT_TRUE(driver_.take_limits().empty());
}

TEST_F(PoolTest, PoolsOfHostsAndForOtherProcessesAreNotModelled) {
  cudaMemPool_t made = nullptr;
  cudaMemPoolProps other = properties();
  other.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  EXPECT_EQ(cudaMemPoolCreate(&made, &other), cudaErrorNotSupported);
  EXPECT_EQ(driver_.take_limits().size(), 1u);
  other = properties();
  other.location.type = cudaMemLocationTypeHost;
  EXPECT_EQ(cudaMemPoolCreate(&made, &other), cudaErrorNotSupported);
  int handle = 0;
  EXPECT_EQ(
      cudaMemPoolExportToShareableHandle(&handle, first(), cudaMemHandleTypePosixFileDescriptor, 0),
      cudaErrorInvalidValue)
      << "the pool was not made for that";
}

}  // namespace
}  // namespace dlcert::shim
