// SPDX-License-Identifier: Apache-2.0
//
// Initialization and contexts of the driver API. Source: CUDA Driver API, "Initialization",
// "Primary Context Management", "Context Management"; CUDA Runtime API, "Interactions with the CUDA
// Driver API".

#include <cuda_runtime_api.h>

#include <thread>

#include "driver_fixture.hpp"

namespace dlcert::shim {
namespace {

using DriverContexts = DriverApi;

TEST_F(DriverContexts, NothingWorksBeforeTheInitialization) {
  CUcontext context = nullptr;
  CUdevice device = 0;
  int version = 0;
  EXPECT_EQ(cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
}

TEST_F(DriverContexts, WithoutADeviceTheInitializationSaysSo) {
  driver_.restart({.devices = 0});
  EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
}

TEST_F(DriverContexts, InitializingMakesNoContext) {
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(current(), nullptr);
  EXPECT_TRUE(driver_.devices_in_use().empty());
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc(&address, 16), CUDA_ERROR_INVALID_CONTEXT);
  CUstream made = nullptr;
  EXPECT_EQ(cuStreamCreate(&made, 0), CUDA_ERROR_INVALID_CONTEXT);
}

// ---- primary contexts ---------------------------------------------------------------------------

TEST_F(DriverContexts, APrimaryContextIsActiveFromItsFirstReferenceToItsLast) {
  unsigned int flags = 7;
  int active = 7;
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(1, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(flags, 0u);
  EXPECT_EQ(active, 0);
  CUcontext first = nullptr, second = nullptr;
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&first, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&second, 1), CUDA_SUCCESS);
  EXPECT_EQ(first, second);
  EXPECT_EQ(current(), nullptr);  // retaining does not push
  EXPECT_EQ(cuDevicePrimaryCtxRelease(1), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(1, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(1), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(1, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 0);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(1), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(DriverContexts, TheLastReleaseEndsWhatTheContextHolds) {
  enter();
  const CUdeviceptr address = memory(16);
  CUdeviceptr base = 0;
  EXPECT_EQ(cuMemGetAddressRange(&base, nullptr, address), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  EXPECT_EQ(driver_.living().allocations, 0u);
  EXPECT_EQ(cuMemFree(address), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_F(DriverContexts, TheRuntimeKeepsTheContextThatItUses) {
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  const CUcontext context = current();
  EXPECT_NE(context, nullptr);
  EXPECT_EQ(enter(), context);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  EXPECT_NE(memory(16), 0u);
}

TEST_F(DriverContexts, AResetEndsWhateverRefersToTheContext) {
  enter();
  memory(16);
  EXPECT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  EXPECT_EQ(driver_.living().allocations, 0u);
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);  // still the caller's to give back
}

TEST_F(DriverContexts, FlagsOfAPrimaryContextCanBeSetBefore) {
  unsigned int flags = 0;
  int active = 0;
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD | CU_CTX_SCHED_SPIN),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(flags, CU_CTX_SCHED_YIELD);
  EXPECT_EQ(active, 0);
}

// ---- the stack ----------------------------------------------------------------------------------

TEST_F(DriverContexts, EachThreadHasAStackOfItsOwn) {
  const CUcontext context = enter();
  EXPECT_EQ(current(), context);
  std::thread{[] { EXPECT_EQ(current(), nullptr); }}.join();
}

TEST_F(DriverContexts, AContextIsCurrentOnAsManyThreadsAsSetIt) {
  const CUcontext context = enter(1);
  const CUdeviceptr address = memory(4);
  EXPECT_EQ(cuMemsetD8(address, 5, 4), CUDA_SUCCESS);
  std::thread{[&] {
    EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    EXPECT_EQ(bytes_of<4>(address), (std::array<unsigned char, 4>{5, 5, 5, 5}));
  }}.join();
}

TEST_F(DriverContexts, WhatIsPushedIsPopped) {
  const CUcontext first = enter(0);
  CUcontext second = nullptr, popped = nullptr;
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&second, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxPushCurrent(second), CUDA_SUCCESS);
  CUdevice device = -1;
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, second);
  EXPECT_EQ(current(), first);
  EXPECT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(cuCtxPopCurrent(&popped), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(DriverContexts, AContextThatIsNoneIsRefused) {
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSetCurrent(std::bit_cast<CUcontext>(std::uintptr_t{0x1234})),
            CUDA_ERROR_INVALID_CONTEXT);
}

// ---- the runtime beside it ----------------------------------------------------------------------

TEST_F(DriverContexts, TheDeviceOfTheRuntimeIsThatOfTheCurrentContext) {
  enter(1);
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
}

TEST_F(DriverContexts, ACallOfTheRuntimeMakesThePrimaryContextCurrent) {
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(current(), enter(0));
}

TEST_F(DriverContexts, MemoryOfTheOneIsMemoryOfTheOther) {
  enter();
  void* address = nullptr;
  EXPECT_EQ(cudaMalloc(&address, 4), cudaSuccess);
  EXPECT_EQ(cuMemsetD8(std::bit_cast<CUdeviceptr>(address), 3, 4), CUDA_SUCCESS);
  std::array<unsigned char, 4> host{};
  EXPECT_EQ(cudaMemcpy(host.data(), address, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host, (std::array<unsigned char, 4>{3, 3, 3, 3}));
}

// ---- other contexts -----------------------------------------------------------------------------

TEST_F(DriverContexts, ACreatedContextIsCurrentUntilItIsDestroyed) {
  const CUcontext primary = enter();
  CUcontext made = nullptr;
  EXPECT_EQ(cuCtxCreate(&made, nullptr, CU_CTX_MAP_HOST, 1), CUDA_SUCCESS);
  EXPECT_EQ(current(), made);
  unsigned int flags = 0;
  EXPECT_EQ(cuCtxGetFlags(&flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, CU_CTX_MAP_HOST);
  EXPECT_EQ(cuCtxDestroy(made), CUDA_SUCCESS);
  EXPECT_EQ(current(), primary);
  EXPECT_EQ(cuCtxDestroy(made), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(DriverContexts, AContextThatAnotherThreadDestroyedIsToldAsDestroyed) {
  CUcontext made = nullptr;
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxCreate(&made, nullptr, 0, 0), CUDA_SUCCESS);
  std::thread{[&] { EXPECT_EQ(cuCtxDestroy(made), CUDA_SUCCESS); }}.join();
  EXPECT_EQ(current(), made);
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc(&address, 16), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_F(DriverContexts, EachContextHasANumberOfItsOwn) {
  unsigned long long of_primary = 0, of_made = 0;
  EXPECT_EQ(cuCtxGetId(enter(), &of_primary), CUDA_SUCCESS);
  CUcontext made = nullptr;
  EXPECT_EQ(cuCtxCreate(&made, nullptr, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetId(nullptr, &of_made), CUDA_SUCCESS);
  EXPECT_NE(of_primary, of_made);
}

// ---- errors -------------------------------------------------------------------------------------

TEST_F(DriverContexts, ErrorsHaveNamesAndTexts) {
  const char* text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_NOT_INITIALIZED, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_NOT_INITIALIZED");
  EXPECT_EQ(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "invalid argument");
  EXPECT_EQ(cuGetErrorName(driver_number<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
}

}  // namespace
}  // namespace dlcert::shim
