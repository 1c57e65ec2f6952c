// SPDX-License-Identifier: Apache-2.0
//
// What a vendor's compiler makes of <<<>>>, copies, streams, events and host functions, over a
// shim. Exits with 0 when every step gave what it should, else names the first that did not.

#include <array>
#include <cstdio>
#include <cstdlib>

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include "shims/tests/gpu_names.hpp"

#define EXPECT(condition)                                                           \
  do {                                                                              \
    if (!(condition)) {                                                             \
      std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (false)

__device__ int launches;

namespace {

constexpr std::size_t size = 64;
using Bytes = std::array<unsigned char, size>;

__global__ void overwrite(unsigned char* bytes, unsigned char value) {
  bytes[threadIdx.x] = value;
  launches += 1;
}

unsigned char* device_memory() {
  void* memory = nullptr;
  EXPECT(cudaMalloc(&memory, size) == cudaSuccess);
  return static_cast<unsigned char*>(memory);
}

// HIP 5.2 renames hipEventRecord for the per-thread default stream and does not have it.
#if !defined(__HIP__) || !defined(PER_THREAD_DEFAULT_STREAM)
#define HAS_EVENTS
#endif

#if defined(HAS_EVENTS)
struct Seen {
  Bytes bytes{};
  unsigned char last = 0;
};

void look(void* data) {
  auto& seen = *static_cast<Seen*>(data);
  seen.last = seen.bytes[size - 1];
}

// Two streams, the second behind an event of the first, and a kernel in between, which is ordered
// and changes nothing.
void work_on_two_streams() {
  unsigned char* const from = device_memory();
  unsigned char* const to = device_memory();
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t done = nullptr;
  Bytes source{};
  source.fill(7);
  Seen seen;
  EXPECT(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) == cudaSuccess);
  EXPECT(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) == cudaSuccess);
  EXPECT(cudaEventCreateWithFlags(&done, cudaEventDisableTiming) == cudaSuccess);
  EXPECT(cudaMemcpyAsync(from, source.data(), size, cudaMemcpyHostToDevice, first) == cudaSuccess);
  overwrite<<<dim3(1), dim3(size), 0, first>>>(from, 9);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaStreamQuery(first) == cudaErrorNotReady);
  static_cast<void>(cudaGetLastError());
  EXPECT(cudaEventRecord(done, first) == cudaSuccess);
  EXPECT(cudaStreamWaitEvent(second, done, 0) == cudaSuccess);
  EXPECT(cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, second) == cudaSuccess);
  EXPECT(cudaMemcpyAsync(seen.bytes.data(), to, size, cudaMemcpyDeviceToHost, second) ==
         cudaSuccess);
  EXPECT(cudaLaunchHostFunc(second, look, &seen) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(second) == cudaSuccess);
  EXPECT(seen.bytes == source && seen.last == 7);
  EXPECT(cudaEventDestroy(done) == cudaSuccess);
  EXPECT(cudaStreamDestroy(first) == cudaSuccess && cudaStreamDestroy(second) == cudaSuccess);
  EXPECT(cudaFree(from) == cudaSuccess && cudaFree(to) == cudaSuccess);
}

#endif

// What a launch without a stream leaves pending is pending in the default stream of this program.
void launch_in_default_stream() {
  unsigned char* const memory = device_memory();
  EXPECT(cudaMemset(memory, 3, size) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(nullptr) == cudaSuccess);
  overwrite<<<dim3(1), dim3(size)>>>(memory, 9);
#if defined(PER_THREAD_DEFAULT_STREAM)
  EXPECT(cudaStreamQuery(cudaStreamPerThread) == cudaErrorNotReady);
#else
  EXPECT(cudaStreamQuery(cudaStreamPerThread) == cudaSuccess);
  EXPECT(cudaStreamQuery(nullptr) == cudaErrorNotReady);
#endif
  static_cast<void>(cudaGetLastError());
  Bytes bytes{};
  EXPECT(cudaMemcpy(bytes.data(), memory, size, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(bytes[0] == 3 && bytes[size - 1] == 3);
  EXPECT(cudaFree(memory) == cudaSuccess);
}

}  // namespace

int main() {
#if defined(HAS_EVENTS)
  work_on_two_streams();
#endif
  launch_in_default_stream();
  return 0;
}
