// SPDX-License-Identifier: Apache-2.0

#include "hip/hip_api.hpp"
#include "vendor/pins.inc"

namespace dlcert::driver {
namespace {

// HIP has no error of the number of Status::not_permitted.
static_assert(same(Status::invalid_context, hipErrorInvalidContext));

static_assert(std::string_view(DLCERT_SPELLING(hipStreamPerThread)) == "((hipStream_t)2)");
static_assert(same(Stream::per_thread, 2));

static_assert(hipHostMallocDefault == 0);

// Numbered anew, and the field of hipPointerAttribute_t renamed, in ROCm 6.
#if HIP_VERSION_MAJOR < 6
static_assert(hipMemoryTypeHost == 0);
static_assert(hipMemoryTypeDevice == 1);
#else
static_assert(hipMemoryTypeUnregistered == 0);
static_assert(hipMemoryTypeHost == 1);
static_assert(hipMemoryTypeDevice == 2);
static_assert(hipMemoryTypeManaged == 3);
#endif

DLCERT_PIN(hipHostMalloc, Error, void**, size_t, unsigned int);
DLCERT_PIN(hipHostFree, Error, void*);
DLCERT_PIN(hipStreamAddCallback, Error, NativeStream, hipStreamCallback_t, void*, unsigned int);
DLCERT_PIN(hipDevicePrimaryCtxGetState, Error, hipDevice_t, unsigned int*, int*);
DLCERT_PIN(hipDeviceGetUuid, Error, hipUUID*, hipDevice_t);

}  // namespace
}  // namespace dlcert::driver
