// SPDX-License-Identifier: Apache-2.0
//
// A vendor's runtime as a program calls it: the answers are the simulated driver's.

#include <array>
#include <thread>

#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

using Bytes = std::array<unsigned char, 64>;

Bytes filled(unsigned char value) {
  Bytes bytes{};
  bytes.fill(value);
  return bytes;
}

Bytes read_back(const void* device) {
  Bytes bytes{};
  EXPECT_EQ(cudaMemcpy(bytes.data(), device, bytes.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  return bytes;
}

// ---- work ---------------------------------------------------------------------------------------

TEST_F(ShimTest, CopiesAndFillsMoveBytes) {
  std::byte* const from = device_memory(64);
  std::byte* const to = device_memory(64);
  ASSERT_EQ(cudaMemset(from, 7, 64), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(to, from, 64, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(read_back(to), filled(7));
  const Bytes source = filled(9);
  ASSERT_EQ(cudaMemcpy(to, source.data(), 64, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(read_back(to), filled(9));
}

TEST_F(ShimTest, RowsAreCopiedAndFilledAPitchApart) {
  std::byte* const memory = device_memory(64);
  ASSERT_EQ(cudaMemset(memory, 1, 64), cudaSuccess);
  ASSERT_EQ(cudaMemset2D(memory, 16, 2, 4, 4), cudaSuccess);
  Bytes expected = filled(1);
  for (std::size_t row = 0; row < 4; ++row)
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(16 * row), 4, 2);
  EXPECT_EQ(read_back(memory), expected);
  std::array<unsigned char, 16> rows{};
  ASSERT_EQ(cudaMemcpy2D(rows.data(), 4, memory, 16, 4, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  for (const unsigned char value : rows)
    EXPECT_EQ(value, 2);
}

TEST_F(ShimTest, AnUnknownDirectionOfACopyIsRefused) {
  std::byte* const memory = device_memory(64);
  Bytes bytes{};
  const auto unknown = static_cast<decltype(cudaMemcpyHostToDevice)>(7);
  EXPECT_EQ(static_cast<int>(cudaMemcpy(bytes.data(), memory, 64, unknown)), 21);
}

TEST_F(ShimTest, AnEventOrdersTwoStreams) {
  std::byte* const memory = device_memory(64);
  const cudaStream_t producer = new_stream(), consumer = new_stream();
  cudaEvent_t done = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory, 5, 64, producer), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(done, producer), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(consumer, done, 0), cudaSuccess);
  Bytes bytes{};
  ASSERT_EQ(cudaMemcpyAsync(bytes.data(), memory, 64, cudaMemcpyDeviceToHost, consumer),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(consumer), cudaSuccess);
  EXPECT_EQ(bytes, filled(5));
  EXPECT_TRUE(driver_.take_races().empty());
}

TEST_F(ShimTest, AMissingEventIsARace) {
  std::byte* const memory = device_memory(64);
  ASSERT_EQ(cudaMemsetAsync(memory, 5, 64, new_stream()), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory, 6, 64, new_stream()), cudaSuccess);
  EXPECT_EQ(driver_.take_races().size(), 1u);
}

TEST_F(ShimTest, AHostFunctionRunsInTheOrderOfItsStream) {
  const cudaStream_t stream = new_stream();
  std::byte* const memory = device_memory(64);
  struct Seen {
    Bytes bytes;
    unsigned char first;
  } seen{{}, 0};
  ASSERT_EQ(cudaMemsetAsync(memory, 3, 64, stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(seen.bytes.data(), memory, 64, cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
  const auto look = [](void* data) {
    auto& at = *static_cast<Seen*>(data);
    at.first = at.bytes[0];
  };
  ASSERT_EQ(cudaLaunchHostFunc(stream, look, &seen), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(seen.first, 3);
}

TEST_F(ShimTest, ACapturedCopyRunsWhenItsGraphIsLaunched) {
  const cudaStream_t stream = new_stream();
  std::byte* const memory = device_memory(64);
  ASSERT_EQ(cudaMemset(memory, 1, 64), cudaSuccess);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory, 8, 64, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(read_back(memory), filled(1));
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(read_back(memory), filled(8));
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(ShimTest, AKernelThatNobodyRegisteredIsRefused) {
  static const char stub = 0;
  EXPECT_EQ(static_cast<int>(cudaLaunchKernel(&stub, dim3(1), dim3(1), nullptr, 0, nullptr)), 98);
}

// ---- handle 0 and the devices -------------------------------------------------------------------

TEST_F(ShimTest, HandleZeroIsTheLegacyStream) {
  std::byte* const memory = device_memory(64);
  const std::vector<Call> trace =
      traced([&] { ASSERT_EQ(cudaMemsetAsync(memory, 1, 64, nullptr), cudaSuccess); });
  ASSERT_EQ(calls_of(trace, "fill_async").size(), 1u);
  EXPECT_EQ(calls_of(trace, "fill_async")[0].stream, driver::Stream::null);
}

TEST_F(ShimTest, TheCurrentDeviceBelongsToTheThread) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  int elsewhere = -1, here = -1;
  std::thread{[&] { static_cast<void>(cudaGetDevice(&elsewhere)); }}.join();
  ASSERT_EQ(cudaGetDevice(&here), cudaSuccess);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(here, 1);
  EXPECT_EQ(static_cast<int>(cudaSetDevice(2)), 101);
}

TEST_F(ShimTest, PointersTellTheirDevice) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  std::byte* const memory = device_memory(64);
  cudaPointerAttributes found{};
  ASSERT_EQ(cudaPointerGetAttributes(&found, memory + 5), cudaSuccess);
  EXPECT_EQ(found.device, 1);
  EXPECT_EQ(found.devicePointer, memory + 5);
}

// ---- errors -------------------------------------------------------------------------------------

TEST_F(ShimTest, TheLastErrorIsKeptUntilItIsTaken) {
  ASSERT_EQ(cudaMemset(nullptr, 1, 64), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(ShimTest, ANullResultIsAnInvalidValue) {
  EXPECT_EQ(cudaGetDevice(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaRuntimeGetVersion(nullptr), cudaErrorInvalidValue);
}

TEST_F(ShimTest, ErrorsAndVersionsAreTheVendors) {
  const std::string prefix = is_cuda ? "cuda" : "hip";
  EXPECT_EQ(cudaGetErrorName(cudaErrorNotReady), prefix + "ErrorNotReady");
  int version = 0;
  ASSERT_EQ(cudaRuntimeGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, is_cuda ? gpu::header_version : driver_.version());
  ASSERT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, driver_.driver_version());
}

TEST_F(ShimTest, AWorldMayHaveAnotherVersion) {
  driver_.restart({.vendor = own_vendor, .version = 11040});
  int version = 0;
  ASSERT_EQ(cudaRuntimeGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, 11040);
}

TEST_F(ShimTest, WhatIsNotModelledIsRefusedAndNamedOnce) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc bytes{8, 0, 0, 0, cudaChannelFormatKindUnsigned};
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMallocArray(&array, &bytes, 64, 0, 0), cudaErrorNotSupported);
  EXPECT_EQ(cudaMallocArray(&array, &bytes, 64, 0, 0), cudaErrorNotSupported);
  const std::string prefix = is_cuda ? "cuda" : "hip";
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "dlcert: " + prefix + "MallocArray is not modelled\n");
  EXPECT_EQ(static_cast<int>(cudaErrorNotSupported), 801);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

TEST_F(ShimTest, DevicesOfTheOtherVendorAreNamedOnce) {
  driver_.restart({.vendor = is_cuda ? driver::Vendor::rocm : driver::Vendor::cuda});
  void* memory = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorInsufficientDriver);
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorInsufficientDriver);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find(is_cuda ? "DLCERT_SIMULATED_VENDOR=cuda" : "DLCERT_SIMULATED_VENDOR=rocm"),
            std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

}  // namespace
}  // namespace dlcert::shim
