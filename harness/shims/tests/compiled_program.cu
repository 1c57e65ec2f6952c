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

#if !defined(__HIP__)
#define HIP_SYMBOL(variable) variable
#endif

#define EXPECT(condition)                                                           \
  do {                                                                              \
    if (!(condition)) {                                                             \
      std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (false)

__device__ int launches;
__device__ int table[4];
__constant__ float factor;

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

// Variables of the device, as the compiler registers them.
void copy_to_and_from_variables() {
  const int numbers[4] = {1, 2, 3, 4};
  int found[4] = {};
  const float half = 0.5F;
  float seen = 0;
  EXPECT(cudaMemcpyToSymbol(HIP_SYMBOL(table), numbers, sizeof numbers) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(found, HIP_SYMBOL(table), sizeof(int), 2 * sizeof(int)) ==
         cudaSuccess);
  EXPECT(found[0] == 3);
  EXPECT(cudaMemcpyToSymbol(HIP_SYMBOL(factor), &half, sizeof half) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(&seen, HIP_SYMBOL(factor), sizeof seen) == cudaSuccess);
  EXPECT(seen == half);
  void* address = nullptr;
  std::size_t bytes = 0;
  EXPECT(cudaGetSymbolAddress(&address, HIP_SYMBOL(table)) == cudaSuccess);
  EXPECT(cudaGetSymbolSize(&bytes, HIP_SYMBOL(table)) == cudaSuccess && bytes == sizeof numbers);
  EXPECT(cudaMemcpy(found, address, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(found[3] == 4);
}

#if !defined(__HIP__)
// What libraries ask before a launch.
void choose_a_launch() {
  cudaFuncAttributes attributes{};
  int grid = 0, block = 0, blocks = 0;
  EXPECT(cudaFuncGetAttributes(&attributes, overwrite) == cudaSuccess);
  EXPECT(attributes.maxThreadsPerBlock >= 32);
  EXPECT(cudaOccupancyMaxPotentialBlockSize(&grid, &block, overwrite) == cudaSuccess);
  EXPECT(grid > 0 && block > 0 && block <= attributes.maxThreadsPerBlock);
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, overwrite, block, 0) ==
         cudaSuccess);
  EXPECT(blocks >= 1);
  EXPECT(cudaFuncSetAttribute(overwrite, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536) ==
         cudaSuccess);
  const char* name = nullptr;
  EXPECT(cudaFuncGetName(&name, overwrite) == cudaSuccess && name != nullptr);
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
  copy_to_and_from_variables();
#if !defined(__HIP__)
  choose_a_launch();
#endif
  return 0;
}
