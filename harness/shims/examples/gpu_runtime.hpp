// SPDX-License-Identifier: Apache-2.0
//
// One source for both vendors: CUDA's runtime, or HIP's under CUDA's names, and what DLPack and the
// array API say of each.

#pragma once

#include <cstdint>

#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime_api.h>

#include <memory>

#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaErrorNotReady hipErrorNotReady
#define cudaError_t hipError_t
#define cudaEvent_t hipEvent_t
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDestroy hipEventDestroy
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaEventQuery hipEventQuery
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaFree hipFree
#define cudaFreeAsync hipFreeAsync
#define cudaFreeHost hipHostFree
#define cudaGetDevice hipGetDevice
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaLaunchKernel hipLaunchKernel
#define cudaMalloc hipMalloc
#define cudaMallocAsync hipMallocAsync
#define cudaMallocHost(out, bytes) hipHostMalloc(out, bytes, hipHostMallocDefault)
#define cudaMallocManaged hipMallocManaged
#define cudaMemAttachGlobal hipMemAttachGlobal
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyDefault hipMemcpyDefault
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyPeerAsync hipMemcpyPeerAsync
#define cudaMemsetAsync hipMemsetAsync
#define cudaSetDevice hipSetDevice
#define cudaStream_t hipStream_t
#define cudaStreamCaptureMode hipStreamCaptureMode
#define cudaStreamCaptureModeRelaxed hipStreamCaptureModeRelaxed
#define cudaStreamCaptureStatus hipStreamCaptureStatus
#define cudaStreamCaptureStatusNone hipStreamCaptureStatusNone
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamDestroy hipStreamDestroy
#define cudaStreamIsCapturing hipStreamIsCapturing
#define cudaStreamNonBlocking hipStreamNonBlocking
#define cudaStreamPerThread hipStreamPerThread
#define cudaStreamQuery hipStreamQuery
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStreamWaitEvent hipStreamWaitEvent
#define cudaSuccess hipSuccess
#define cudaThreadExchangeStreamCaptureMode hipThreadExchangeStreamCaptureMode

/// HIP 5.2 declares hipLaunchHostFunc and does not have it.
inline hipError_t cudaLaunchHostFunc(hipStream_t stream, void (*function)(void*), void* data) {
  struct Call {
    void (*function)(void*);
    void* data;

    static void run(hipStream_t /*stream*/, hipError_t /*status*/, void* self) {
      const std::unique_ptr<Call> call{static_cast<Call*>(self)};
      call->function(call->data);
    }
  };
  auto call = std::make_unique<Call>(Call{function, data});
  const hipError_t error = hipStreamAddCallback(stream, Call::run, call.get(), 0);
  if (error == hipSuccess) static_cast<void>(call.release());
  return error;
}

namespace gpu {

inline constexpr int dlpack_device_type = 10;   ///< kDLROCM
inline constexpr int dlpack_pinned_type = 11;   ///< kDLROCMHost
inline constexpr int dlpack_managed_type = 10;  ///< DLPack has none of its own
inline constexpr std::int64_t legacy_stream_number = 0;
inline constexpr bool numbers_per_thread_stream = false;  ///< 1 and 2 are refused

/// The legacy default stream by name.
inline hipStream_t legacy_stream() {
  return nullptr;
}

}  // namespace gpu

#else
#include <cuda_runtime_api.h>

namespace gpu {

inline constexpr int dlpack_device_type = 2;    ///< kDLCUDA
inline constexpr int dlpack_pinned_type = 3;    ///< kDLCUDAHost
inline constexpr int dlpack_managed_type = 13;  ///< kDLCUDAManaged
inline constexpr std::int64_t legacy_stream_number = 1;
inline constexpr bool numbers_per_thread_stream = true;  ///< as 2

/// The legacy default stream by name.
inline cudaStream_t legacy_stream() {
  return cudaStreamLegacy;
}

}  // namespace gpu

#endif
