// SPDX-License-Identifier: Apache-2.0

#include "cuda/cuda_api.hpp"
#include "vendor/pins.inc"

namespace dlcert::driver {
namespace {

static_assert(same(Status::invalid_context, cudaErrorDeviceUninitialized));
static_assert(same(Status::not_permitted, cudaErrorNotPermitted));

static_assert(std::string_view(DLCERT_SPELLING(cudaStreamLegacy)) == "((cudaStream_t)0x1)");
static_assert(std::string_view(DLCERT_SPELLING(cudaStreamPerThread)) == "((cudaStream_t)0x2)");
static_assert(same(Stream::legacy, 1) && same(Stream::per_thread, 2));

static_assert(cudaMemoryTypeUnregistered == 0);
static_assert(cudaMemoryTypeHost == 1);
static_assert(cudaMemoryTypeDevice == 2);
static_assert(cudaMemoryTypeManaged == 3);

static_assert(cudaHostAllocDefault == 0);
static_assert(cudaHostRegisterReadOnly == 8);

DLCERT_PIN(cudaHostAlloc, Error, void**, size_t, unsigned int);
DLCERT_PIN(cudaMallocHost, Error, void**, size_t);
DLCERT_PIN(cudaFreeHost, Error, void*);
DLCERT_PIN(cudaStreamGetId, Error, NativeStream, unsigned long long*);
DLCERT_PIN(cudaGraphInstantiate, Error, NativeGraphExec*, NativeGraph, unsigned long long);

// Else handle 0 would mean another stream here than everywhere else.
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#error "expected the legacy default stream but CUDA_API_PER_THREAD_DEFAULT_STREAM is defined"
#endif

}  // namespace
}  // namespace dlcert::driver
