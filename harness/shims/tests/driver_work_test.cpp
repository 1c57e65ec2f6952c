// SPDX-License-Identifier: Apache-2.0
//
// Memory, copies, fills, streams, events, captures and modules of the driver API. What each waits
// for is the runtime's rule, which order_of_*_test.cpp hold.

#include <cstring>
#include <vector>

#include "driver_fixture.hpp"

namespace dlcert::shim {
namespace {

class DriverWork : public DriverApi {
 protected:
  DriverWork() { enter(); }
};

TEST_F(DriverWork, BytesGoToTheDeviceAndBack) {
  const CUdeviceptr address = memory(4);
  const std::array<unsigned char, 4> sent{1, 2, 3, 4};
  EXPECT_EQ(cuMemcpyHtoD(address, sent.data(), 4), CUDA_SUCCESS);
  EXPECT_EQ(bytes_of<4>(address), sent);
  const CUdeviceptr other = memory(4);
  EXPECT_EQ(cuMemcpyDtoD(other, address, 4), CUDA_SUCCESS);
  EXPECT_EQ(bytes_of<4>(other), sent);
  EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverWork, NoBytesAreNoMemory) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(0), CUDA_SUCCESS);
}

TEST_F(DriverWork, ElementsOfMoreThanOneByteAreFilled) {
  const CUdeviceptr address = memory(8);
  EXPECT_EQ(cuMemsetD32(address, 0x04030201, 2), CUDA_SUCCESS);
  EXPECT_EQ(bytes_of<8>(address), (std::array<unsigned char, 8>{1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(cuMemsetD16(address, 0x0605, 2), CUDA_SUCCESS);
  EXPECT_EQ(bytes_of<8>(address), (std::array<unsigned char, 8>{5, 6, 5, 6, 1, 2, 3, 4}));
  EXPECT_EQ(cuMemsetD32(address + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverWork, RowsArePitched) {
  const CUdeviceptr address = memory(8);
  EXPECT_EQ(cuMemsetD8(address, 0, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD2D16(address, 4, 0x0201, 1, 2), CUDA_SUCCESS);
  EXPECT_EQ(bytes_of<8>(address), (std::array<unsigned char, 8>{1, 2, 0, 0, 1, 2, 0, 0}));
  std::array<unsigned char, 4> host{};
  CUDA_MEMCPY2D box{};
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = address;
  box.srcPitch = 4;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = host.data();
  box.WidthInBytes = 2;
  box.Height = 2;
  EXPECT_EQ(cuMemcpy2D(&box), CUDA_SUCCESS);
  EXPECT_EQ(host, (std::array<unsigned char, 4>{1, 2, 1, 2}));
  box.srcPitch = 1;
  EXPECT_EQ(cuMemcpy2D(&box), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverWork, AnEventOrdersTwoStreams) {
  const CUdeviceptr address = memory(4);
  const CUstream writer = stream(), reader = stream();
  CUevent event = nullptr;
  std::array<unsigned char, 4> host{};
  EXPECT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8Async(address, 9, 4, writer), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(event, writer), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(reader, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoHAsync(host.data(), address, 4, reader), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(reader), CUDA_SUCCESS);
  EXPECT_EQ(host, (std::array<unsigned char, 4>{9, 9, 9, 9}));
  EXPECT_TRUE(driver_.take_races().empty());
}

TEST_F(DriverWork, WithoutTheEventItIsARace) {
  const CUdeviceptr address = memory(4);
  const CUstream writer = stream(), reader = stream();
  std::array<unsigned char, 4> host{};
  EXPECT_EQ(cuMemsetD8Async(address, 9, 4, writer), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoHAsync(host.data(), address, 4, reader), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(driver_.take_races().size(), 1u);
}

TEST_F(DriverWork, ACaptureIsReplayed) {
  const CUdeviceptr address = memory(4);
  const CUstream on = stream();
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  EXPECT_EQ(cuMemsetD8Async(address, 0, 4, on), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamBeginCapture(on, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8Async(address, 4, 4, on), CUDA_SUCCESS);
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  EXPECT_EQ(cuStreamGetCaptureInfo(on, &status, &id, nullptr, nullptr, nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_NE(id, 0u);
  EXPECT_EQ(cuStreamEndCapture(on, &graph), CUDA_SUCCESS);
  std::size_t count = 0;
  EXPECT_EQ(cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&executable, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(executable, on), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(on), CUDA_SUCCESS);
  EXPECT_EQ(bytes_of<4>(address), (std::array<unsigned char, 4>{4, 4, 4, 4}));
  EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(DriverWork, MemoryComesAndGoesInTheOrderOfAStream) {
  const CUstream on = stream();
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAllocAsync(&address, 4, on), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8Async(address, 1, 4, on), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(address, on), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8Async(address, 1, 4, on), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverWork, AnAddressSaysWhereItLies) {
  const CUdeviceptr address = memory(64);
  CUdevice device = -1;
  CUmemorytype type{};
  CUcontext context = nullptr;
  EXPECT_EQ(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address + 8),
            CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, address), CUDA_SUCCESS);
  EXPECT_EQ(context, current());
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, address + 8), CUDA_SUCCESS);
  EXPECT_EQ(base, address);
  EXPECT_EQ(bytes, 64u);
  int host = 0;
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  std::bit_cast<CUdeviceptr>(&host)),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverWork, AnAddressOfNoMemoryHasZerosForAttributes) {
  std::uint64_t size = ~0ULL;
  CUcontext context = current();
  int ordinal = 7;
  std::array<CUpointer_attribute, 3> asked{CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                           CU_POINTER_ATTRIBUTE_CONTEXT,
                                           CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  std::array<void*, 3> out{&size, &context, &ordinal};
  EXPECT_EQ(
      cuPointerGetAttributes(3, asked.data(), out.data(), std::bit_cast<CUdeviceptr>(&ordinal)),
      CUDA_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(context, nullptr);
  EXPECT_EQ(ordinal, 0);
}

TEST_F(DriverWork, KernelsAreLaunchedUnread) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  const char code[] = "anything";
  EXPECT_EQ(cuModuleLoadData(&module, code), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "add"), CUDA_SUCCESS);
  const char* name = nullptr;
  EXPECT_EQ(cuFuncGetName(&name, function), CUDA_SUCCESS);
  EXPECT_STREQ(name, "add");
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(function, 0, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver_.opaque_launches(), 1u);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverWork, WhatWasUnloadedIsNoModule) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, "code"), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "add"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverWork, ALibraryIsLoadedWithoutAContext) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUmodule module = nullptr;
  void* unified = nullptr;
  EXPECT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleLoadData(&module, "code"), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuLibraryLoadData(&library, "code", nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "add"), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryGetUnifiedFunction(&unified, library, "add"), CUDA_ERROR_NOT_FOUND);
  enter();
  EXPECT_EQ(cuLibraryGetModule(&module, library), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryGetModule(&module, library), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverWork, DevicesSayWhatTheRuntimeSays) {
  int value = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 9);
  EXPECT_EQ(
      cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0), CUDA_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(cuDeviceGetAttribute(&value, driver_number<CUdevice_attribute>(9999), 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 2),
            CUDA_ERROR_INVALID_DEVICE);
  char name[64] = "";
  EXPECT_EQ(cuDeviceGetName(name, sizeof name, 0), CUDA_SUCCESS);
  EXPECT_STREQ(name, "Simulated NVIDIA device");
}

}  // namespace
}  // namespace dlcert::shim
