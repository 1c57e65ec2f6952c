// SPDX-License-Identifier: Apache-2.0
//
// What CUDA 12 has beside the entry points of 13.

#include "shim_fixture.hpp"

// The first form of an entry point, which the header hides behind that of the second.
#undef cudaStreamGetCaptureInfo
extern "C" cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                cudaStreamCaptureStatus* status_out,
                                                unsigned long long* id_out);

namespace dlcert::shim {
namespace {

using Cuda12Test = ShimTest;

TEST_F(Cuda12Test, EachFormOfTheCaptureInfoTellsWhetherAStreamIsCaptured) {
  const cudaStream_t stream = new_stream();
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  for (const int form : {1, 2, 3}) {
    auto status = cudaStreamCaptureStatusNone;
    const cudaError_t answer =
        form == 1 ? cudaStreamGetCaptureInfo(stream, &status, nullptr)
        : form == 2
            ? cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, nullptr, nullptr)
            : cudaStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, nullptr, nullptr,
                                          nullptr);
    EXPECT_EQ(answer, cudaSuccess) << form;
    EXPECT_EQ(status, cudaStreamCaptureStatusActive) << form;
  }
  EXPECT_EQ(cudaStreamGetCaptureInfo(stream, nullptr, nullptr), cudaErrorInvalidValue);
}

TEST_F(Cuda12Test, TimesBetweenEventsHaveTwoNames) {
  cudaEvent_t start = nullptr, end = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime_v2(&milliseconds, start, end), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
}

TEST_F(Cuda12Test, TheFormerNameOfTheWaitForADeviceWaits) {
  std::byte* const memory = device_memory(64);
  const cudaStream_t stream = new_stream();
  ASSERT_EQ(cudaMemsetAsync(memory, 1, 64, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(cudaThreadSynchronize(), cudaSuccess);
#pragma GCC diagnostic pop
  EXPECT_EQ(driver_.pending(), 0u);
}

}  // namespace
}  // namespace dlcert::shim
