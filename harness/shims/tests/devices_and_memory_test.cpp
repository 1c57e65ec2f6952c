// SPDX-License-Identifier: Apache-2.0
//
// What a vendor's runtime says of devices and of memory other than plain device memory.

#include <array>

#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

// ---- devices ------------------------------------------------------------------------------------

TEST_F(ShimTest, PropertiesAreTheDrivers) {
  driver::DeviceProperties expected;
  ASSERT_EQ(driver_.properties(1, expected), driver::Status::success);
  cudaDeviceProp found{};
  ASSERT_EQ(cudaGetDeviceProperties(&found, 1), cudaSuccess);
  EXPECT_EQ(found.name, expected.name);
  EXPECT_EQ(found.totalGlobalMem, expected.total_memory);
  EXPECT_EQ(found.major, expected.major);
  EXPECT_EQ(found.warpSize, is_cuda ? 32 : 64);
  EXPECT_EQ(static_cast<int>(cudaGetDeviceProperties(&found, 2)), 101);
}

TEST_F(ShimTest, AttributesAreTheProperties) {
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  int value = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0), cudaSuccess);
  EXPECT_EQ(value, properties.warpSize);
  ASSERT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  EXPECT_EQ(value, properties.major);
}

TEST_F(ShimTest, ABusAddressFindsItsDevice) {
  std::array<char, 32> text{};
  int device = -1;
  ASSERT_EQ(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), 1), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetByPCIBusId(&device, text.data()), cudaSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, "ffff:ff:ff.0"), cudaErrorInvalidValue);
}

TEST_F(ShimTest, DevicesAreCounted) {
  int count = -1;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 2);
  driver_.restart({.vendor = own_vendor, .devices = 0});
  EXPECT_EQ(static_cast<int>(cudaGetDeviceCount(&count)), 100);
  EXPECT_EQ(count, 0);
}

TEST_F(ShimTest, PeersCopyToEachOther) {
  int can = 0;
  ASSERT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  std::byte* const from = device_memory(64);
  ASSERT_EQ(cudaMemset(from, 6, 64), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  std::byte* const to = device_memory(64);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  std::array<std::byte, 64> bytes{};
  ASSERT_EQ(cudaMemcpyPeerAsync(to, 1, from, 0, 64, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(bytes.data(), to, 64, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(bytes[63], std::byte{6});
}

TEST_F(ShimTest, ACopyBetweenPeersIsOrderedOnBoth) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  cudaStream_t remote = nullptr;
  ASSERT_EQ(cudaStreamCreate(&remote), cudaSuccess);
  std::byte* const from = device_memory(64);
  ASSERT_EQ(cudaMemsetAsync(from, 6, 64, remote), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  std::byte* const to = device_memory(64);
  ASSERT_EQ(cudaMemcpyPeer(to, 0, from, 1, 64), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(from, 7, 64, remote), cudaSuccess);
  EXPECT_TRUE(driver_.take_races().empty());
  int current = -1;
  ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 0);
  EXPECT_EQ(static_cast<int>(cudaMemcpyPeer(to, 0, from, 2, 64)), 101);
  ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 0);
}

// ---- memory -------------------------------------------------------------------------------------

TEST_F(ShimTest, PinnedMemoryHasAnAddressForDevices) {
  void* host = nullptr;
  void* device = nullptr;
  ASSERT_EQ(cudaMallocHost(&host, 64), cudaSuccess);
  ASSERT_EQ(cudaHostGetDevicePointer(&device, host, 0), cudaSuccess);
  EXPECT_NE(device, nullptr);
  cudaPointerAttributes found{};
  ASSERT_EQ(cudaPointerGetAttributes(&found, host), cudaSuccess);
  EXPECT_EQ(found.hostPointer, host);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
}

TEST_F(ShimTest, RegisteredMemoryIsPinnedUntilItIsNot) {
  std::vector<std::byte> bytes(4096);
  void* device = nullptr;
  ASSERT_EQ(cudaHostRegister(bytes.data(), bytes.size(), cudaHostRegisterDefault), cudaSuccess);
  EXPECT_EQ(static_cast<int>(cudaHostRegister(bytes.data(), bytes.size(), cudaHostRegisterDefault)),
            712);
  EXPECT_EQ(cudaHostGetDevicePointer(&device, bytes.data(), 0), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(bytes.data()), cudaSuccess);
  EXPECT_EQ(cudaHostGetDevicePointer(&device, bytes.data(), 0), cudaErrorInvalidValue);
}

TEST_F(ShimTest, ManagedMemoryIsSeenByTheHost) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocManaged(&memory, 64, cudaMemAttachGlobal), cudaSuccess);
  ASSERT_EQ(cudaMemset(memory, 5, 64), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(static_cast<std::byte*>(memory)[63], std::byte{5});
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

// ROCm 5 refuses what CUDA describes.
TEST_F(ShimTest, PageableMemoryIsUnknown) {
  const std::byte here{};
  cudaPointerAttributes found{};
  EXPECT_EQ(cudaPointerGetAttributes(&found, &here), is_cuda ? cudaSuccess : cudaErrorInvalidValue);
}

TEST_F(ShimTest, FreeMemoryIsThatOfTheCurrentDevice) {
  std::size_t before = 0, after = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  EXPECT_EQ(total, driver_.options().memory_per_device);
  device_memory(1024);
  ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_EQ(after, before - 1024);
  EXPECT_EQ(cudaMemGetInfo(nullptr, &total), cudaErrorInvalidValue);
}

TEST_F(ShimTest, RowsOfPitchedMemoryFit) {
  void* memory = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&memory, &pitch, 100, 3), cudaSuccess);
  EXPECT_GE(pitch, 100u);
  EXPECT_EQ(cudaMemset2D(memory, pitch, 1, 100, 3), cudaSuccess);
  EXPECT_EQ(static_cast<int>(cudaMallocPitch(&memory, &pitch, SIZE_MAX, 3)), 1);
}

TEST_F(ShimTest, MemoryOfAStreamIsUsedInItsOrder) {
  const cudaStream_t stream = new_stream();
  void* memory = nullptr;
  std::array<std::byte, 64> bytes{};
  ASSERT_EQ(cudaMallocAsync(&memory, 64, stream), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory, 2, 64, stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(bytes.data(), memory, 64, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(bytes[63], std::byte{2});
  EXPECT_TRUE(driver_.take_races().empty());
}

// ---- streams and events -------------------------------------------------------------------------

TEST_F(ShimTest, ACallbackIsToldItsStream) {
  struct Told {
    cudaStream_t stream;
    int status;
  } told{nullptr, -1};
  const cudaStream_t stream = new_stream();
  const auto tell = [](cudaStream_t of, cudaError_t status, void* data) {
    *static_cast<Told*>(data) = {of, static_cast<int>(status)};
  };
  ASSERT_EQ(cudaStreamAddCallback(stream, tell, &told, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(told.stream, stream);
  EXPECT_EQ(told.status, 0);
  EXPECT_EQ(cudaStreamAddCallback(stream, nullptr, &told, 0), cudaErrorInvalidValue);
}

TEST_F(ShimTest, EventsMeasureTime) {
  cudaEvent_t start = nullptr, end = nullptr;
  float milliseconds = -1;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
}

}  // namespace
}  // namespace dlcert::shim
