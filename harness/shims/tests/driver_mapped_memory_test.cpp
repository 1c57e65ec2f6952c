// SPDX-License-Identifier: Apache-2.0
//
// Virtual memory management of the driver API. Source: CUDA Driver API, "Virtual Memory
// Management"; what the world does with it: simulated_mapped_memory_test.cpp.

#include <cuda_runtime_api.h>

#include <vector>

#include "driver_fixture.hpp"

namespace dlcert::shim {
namespace {

using Handle = CUmemGenericAllocationHandle;

constexpr std::size_t granule = std::size_t{2} << 20;

CUmemAllocationProp properties(int device = 0) {
  CUmemAllocationProp of{};
  of.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  of.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  return of;
}

class DriverMappedMemory : public DriverApi {
 protected:
  DriverMappedMemory() { enter(); }

  static CUdeviceptr reserve(std::size_t bytes = 4 * granule) {
    CUdeviceptr begin = 0;
    EXPECT_EQ(cuMemAddressReserve(&begin, bytes, 0, 0, 0), CUDA_SUCCESS);
    return begin;
  }
  static Handle create(std::size_t bytes = granule, int device = 0) {
    Handle made = 0;
    const CUmemAllocationProp of = properties(device);
    EXPECT_EQ(cuMemCreate(&made, bytes, &of, 0), CUDA_SUCCESS);
    return made;
  }
  static CUresult create(const CUmemAllocationProp& of) {
    Handle made = 0;
    return cuMemCreate(&made, granule, &of, 0);
  }
  static CUresult allow(CUdeviceptr at, std::size_t bytes = granule, int device = 0) {
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, device},
                                 CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    return cuMemSetAccess(at, bytes, &access, 1);
  }
  static unsigned long long access(CUdeviceptr at, int device) {
    unsigned long long flags = ~0ULL;
    const CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE, device};
    EXPECT_EQ(cuMemGetAccess(&flags, &location, at), CUDA_SUCCESS);
    return flags;
  }
  template <class Value>
  static Value attribute(CUpointer_attribute which, CUdeviceptr at) {
    Value value{};
    EXPECT_EQ(cuPointerGetAttribute(&value, which, at), CUDA_SUCCESS);
    return value;
  }
};

TEST_F(DriverMappedMemory, ASegmentGrowsAndShrinks) {
  const CUdeviceptr at = reserve();
  for (const CUdeviceptr each : {at, at + granule}) {
    const Handle made = create();
    EXPECT_EQ(cuMemMap(each, granule, 0, made, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemRelease(made), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuMemsetD8(at, 1, granule), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allow(at, 2 * granule), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8(at + granule - 2, 7, 4), CUDA_SUCCESS);
  EXPECT_EQ(bytes_of<4>(at + granule - 2), (std::array<unsigned char, 4>{7, 7, 7, 7}));
  EXPECT_EQ(cuMemUnmap(at + granule, granule), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8(at + granule - 2, 7, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(at, 4 * granule), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(at, granule), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAddressFree(at, 4 * granule), CUDA_SUCCESS);
}

TEST_F(DriverMappedMemory, NoContextIsNeededButTheDriver) {
  EXPECT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(create()), CUDA_SUCCESS);
  driver_.restart({.devices = 2});
  CUdeviceptr begin = 0;
  EXPECT_EQ(cuMemAddressReserve(&begin, granule, 0, 0, 0), CUDA_ERROR_NOT_INITIALIZED);
}

TEST_F(DriverMappedMemory, TheGranularityIsTold) {
  std::size_t least = 0, best = 0;
  const CUmemAllocationProp of = properties();
  EXPECT_EQ(cuMemGetAllocationGranularity(&least, &of, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemGetAllocationGranularity(&best, &of, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
            CUDA_SUCCESS);
  EXPECT_EQ(least, granule);
  EXPECT_EQ(best % least, 0u);
  EXPECT_EQ(cuMemGetAllocationGranularity(&least, nullptr, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverMappedMemory, WhatIsReservedForLaterMustBeZero) {
  CUdeviceptr begin = 0;
  Handle made = 0;
  const CUmemAllocationProp of = properties();
  EXPECT_EQ(cuMemAddressReserve(&begin, granule, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&made, granule, &of, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(reserve(), granule, granule, create(2 * granule), 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(reserve(), granule, 0, create(), 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverMappedMemory, WhatDevicesHereCannotHaveIsRefused) {
  CUmemAllocationProp of = properties(2);
  EXPECT_EQ(create(of), CUDA_ERROR_INVALID_DEVICE);
  of = {};
  EXPECT_EQ(create(of), CUDA_ERROR_INVALID_VALUE);
  of = properties();
  of.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
  EXPECT_EQ(create(of), CUDA_ERROR_NOT_SUPPORTED);
  of = properties();
  of.allocFlags.gpuDirectRDMACapable = 1;
  EXPECT_EQ(create(of), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(DriverMappedMemory, WhatIsNotModelledIsALimit) {
  static_cast<void>(driver_.take_limits());
  CUmemAllocationProp of = properties();
  of.location = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
  EXPECT_EQ(create(of), CUDA_ERROR_NOT_SUPPORTED);
  int descriptor = -1;
  EXPECT_EQ(cuMemExportToShareableHandle(&descriptor, create(),
                                         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(driver_.take_limits(),
            (std::vector<std::string>{"host memory of cuMemCreate is not modelled",
                                      "cuMemExportToShareableHandle is not modelled"}));
}

TEST_F(DriverMappedMemory, PropertiesAreTold) {
  CUmemAllocationProp of = properties(1), found{};
  of.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  Handle made = 0, retained = 0;
  EXPECT_EQ(cuMemCreate(&made, granule, &of, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&found, made), CUDA_SUCCESS);
  EXPECT_EQ(found.type, of.type);
  EXPECT_EQ(found.requestedHandleTypes, of.requestedHandleTypes);
  EXPECT_EQ(found.location.id, 1);
  const CUdeviceptr at = reserve();
  EXPECT_EQ(cuMemMap(at, granule, 0, made, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRetainAllocationHandle(&retained, std::bit_cast<void*>(at + 1)), CUDA_SUCCESS);
  EXPECT_EQ(retained, made);
  EXPECT_EQ(attribute<std::uint64_t>(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, at),
            std::uint64_t{CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR});
  EXPECT_EQ(cuMemRetainAllocationHandle(&retained, std::bit_cast<void*>(at + granule)),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverMappedMemory, EachDeviceHasAnAccessOfItsOwn) {
  const CUdeviceptr at = reserve();
  EXPECT_EQ(cuMemMap(at, granule, 0, create(), 0), CUDA_SUCCESS);
  EXPECT_EQ(access(at, 0), CU_MEM_ACCESS_FLAGS_PROT_NONE);
  EXPECT_EQ(allow(at, granule, 1), CUDA_SUCCESS);
  EXPECT_EQ(access(at, 0), CU_MEM_ACCESS_FLAGS_PROT_NONE);
  EXPECT_EQ(access(at, 1), CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  EXPECT_EQ(attribute<unsigned int>(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, at),
            static_cast<unsigned int>(CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE));
  EXPECT_EQ(allow(at, granule, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(allow(at + granule), CUDA_ERROR_INVALID_VALUE);
  const CUmemAccessDesc unknown{{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                driver_number<CUmemAccess_flags>(2)};
  EXPECT_EQ(cuMemSetAccess(at, granule, &unknown, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemSetAccess(at, granule, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverMappedMemory, AnAddressTellsWhetherMemoryIsThere) {
  const CUdeviceptr at = reserve();
  EXPECT_EQ(cuMemMap(at, granule, 0, create(), 0), CUDA_SUCCESS);
  EXPECT_TRUE(attribute<bool>(CU_POINTER_ATTRIBUTE_MAPPED, at));
  EXPECT_FALSE(attribute<bool>(CU_POINTER_ATTRIBUTE_MAPPED, at + granule));
  EXPECT_EQ(attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at + 2 * granule), at);
  EXPECT_EQ(attribute<std::size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, at), 4 * granule);
  unsigned int type = 0;
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at + granule),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attribute<unsigned int>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at),
            static_cast<unsigned int>(CU_MEMORYTYPE_DEVICE));
  EXPECT_EQ(cuMemGetAddressRange(nullptr, nullptr, at + granule), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuMemFree(at), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverMappedMemory, ItHasNoHandleOfTheKindThatAllocationsHave) {
  const CUdeviceptr at = reserve();
  EXPECT_EQ(cuMemMap(at, granule, 0, create(), 0), CUDA_SUCCESS);
  cudaIpcMemHandle_t handle{};
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, std::bit_cast<void*>(at)), cudaErrorInvalidValue);
}

TEST_F(DriverMappedMemory, TheRuntimeUsesIt) {
  const CUdeviceptr at = reserve();
  EXPECT_EQ(cuMemMap(at, granule, 0, create(granule, 1), 0), CUDA_SUCCESS);
  EXPECT_EQ(allow(at, granule, 1), CUDA_SUCCESS);
  cudaPointerAttributes found{};
  EXPECT_EQ(cudaPointerGetAttributes(&found, std::bit_cast<void*>(at)), cudaSuccess);
  EXPECT_EQ(found.type, cudaMemoryTypeDevice);
  EXPECT_EQ(found.device, 1);
  EXPECT_EQ(cudaMemset(std::bit_cast<void*>(at), 6, 4), cudaSuccess);
  EXPECT_EQ(bytes_of<4>(at), (std::array<unsigned char, 4>{6, 6, 6, 6}));
  EXPECT_EQ(cudaFree(std::bit_cast<void*>(at)), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace dlcert::shim
