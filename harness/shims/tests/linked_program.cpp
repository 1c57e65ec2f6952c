// SPDX-License-Identifier: Apache-2.0
//
// A program that was compiled and linked for the vendor's library, over a shim. Exits with 0 when
// every step gave what it should, else names the first that did not.

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define EXPECT(condition)                                                           \
  do {                                                                              \
    if (!(condition)) {                                                             \
      std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (false)

namespace {

constexpr std::size_t size = 64;

void versions_and_properties() {
  int version = 0;
  EXPECT(cudaRuntimeGetVersion(&version) == cudaSuccess && version == CUDART_VERSION);
  cudaDeviceProp properties;
  std::memset(&properties, 0xa5, sizeof properties);
  EXPECT(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  EXPECT(properties.warpSize == 32 && properties.totalGlobalMem != 0);
  EXPECT(properties.reserved[sizeof properties.reserved / sizeof(int) - 1] == 0);
}

// Two streams, the second behind an event of the first.
void work_on_two_streams() {
  std::array<unsigned char, size> source{}, seen{};
  source.fill(7);
  void* memory = nullptr;
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t done = nullptr;
  EXPECT(cudaMalloc(&memory, size) == cudaSuccess);
  EXPECT(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) == cudaSuccess);
  EXPECT(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) == cudaSuccess);
  EXPECT(cudaEventCreateWithFlags(&done, cudaEventDisableTiming) == cudaSuccess);
  EXPECT(cudaMemcpyAsync(memory, source.data(), size, cudaMemcpyHostToDevice, first) ==
         cudaSuccess);
  EXPECT(cudaEventRecord(done, first) == cudaSuccess);
  EXPECT(cudaStreamWaitEvent(second, done, 0) == cudaSuccess);
  EXPECT(cudaMemcpyAsync(seen.data(), memory, size, cudaMemcpyDeviceToHost, second) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(second) == cudaSuccess && seen == source);
  EXPECT(cudaEventDestroy(done) == cudaSuccess && cudaFree(memory) == cudaSuccess);
  EXPECT(cudaStreamDestroy(first) == cudaSuccess && cudaStreamDestroy(second) == cudaSuccess);
}

void capture() {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  EXPECT(cudaStreamCreate(&stream) == cudaSuccess);
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
#if CUDART_VERSION < 13000
  EXPECT(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr) ==
         cudaSuccess);
#else
  EXPECT(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr, nullptr) ==
         cudaSuccess);
#endif
  EXPECT(status == cudaStreamCaptureStatusActive);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  EXPECT(cudaGraphDestroy(graph) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
}

}  // namespace

int main() {
  versions_and_properties();
  work_on_two_streams();
  capture();
  return 0;
}
