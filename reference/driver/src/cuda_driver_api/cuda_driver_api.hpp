// SPDX-License-Identifier: Apache-2.0
//
// CUDA's driver API under the names that vendor_driver.inc uses: as a runtime that makes the
// primary context of a thread's device current before its first call, and remembers the last error.

#pragma once

#include <cuda.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>

#include "dlcert/driver/driver.hpp"

#define DLCERT_GPU(name) driver_api::name

namespace dlcert::driver::driver_api {

using Error_t = CUresult;
using Stream_t = CUstream;
using Event_t = CUevent;
using Graph_t = CUgraph;
using GraphExec_t = CUgraphExec;
using StreamCaptureMode = CUstreamCaptureMode;
enum MemcpyKind : std::uint8_t { host_to_host, host_to_device, device_to_host, device_to_device };

inline constexpr Error_t Success = CUDA_SUCCESS;
inline constexpr unsigned int MemAttachGlobal = CU_MEM_ATTACH_GLOBAL;
inline constexpr unsigned int HostRegisterDefault = 0;
inline constexpr unsigned int StreamNonBlocking = CU_STREAM_NON_BLOCKING;
inline constexpr unsigned int EventDefault = CU_EVENT_DEFAULT;
inline constexpr unsigned int EventDisableTiming = CU_EVENT_DISABLE_TIMING;
inline constexpr CUstreamCaptureStatus StreamCaptureStatusNone = CU_STREAM_CAPTURE_STATUS_NONE;

struct Properties {
  std::array<char, 256> name_buffer{};
  const char* name = name_buffer.data();
  CUuuid uuid{};
  std::size_t totalGlobalMem = 0;
  int major = 0;
  int minor = 0;
};

// ---- a runtime's habits -------------------------------------------------------------------------

/// The references to primary contexts that the process holds, until it ends.
inline Error_t primary_context(int device, CUcontext& out) {
  constexpr int most_devices = 64;
  static std::mutex mutex;
  static std::array<CUcontext, most_devices> held{};
  if (device < 0 || device >= most_devices) return CUDA_ERROR_INVALID_DEVICE;
  const std::scoped_lock lock{mutex};
  CUcontext& context = held.at(static_cast<std::size_t>(device));
  const Error_t error =
      context != nullptr ? CUDA_SUCCESS : cuDevicePrimaryCtxRetain(&context, device);
  out = context;
  return error;
}

inline thread_local Error_t last_error = CUDA_SUCCESS;

inline Error_t remember(Error_t error) {
  if (error != CUDA_SUCCESS) last_error = error;
  return error;
}

/// `body()` with a current context.
template <class Body>
Error_t in_context(Body&& body) {
  CUcontext context = nullptr;
  Error_t error = cuInit(0);
  if (error == CUDA_SUCCESS) error = cuCtxGetCurrent(&context);
  if (error == CUDA_SUCCESS && context == nullptr) {
    error = primary_context(0, context);
    if (error == CUDA_SUCCESS) error = cuCtxSetCurrent(context);
  }
  return remember(error == CUDA_SUCCESS ? std::forward<Body>(body)() : error);
}

inline CUdeviceptr address_of(const void* memory) {
  return std::bit_cast<CUdeviceptr>(memory);
}

inline Error_t GetLastError() {
  return std::exchange(last_error, CUDA_SUCCESS);
}

inline Error_t PeekAtLastError() {
  return last_error;
}

// ---- devices ------------------------------------------------------------------------------------

inline Error_t DriverGetVersion(int* out) {
  return cuDriverGetVersion(out);
}

/// Of the headers that this was compiled with.
inline Error_t RuntimeGetVersion(int* out) {
  *out = CUDA_VERSION;
  return CUDA_SUCCESS;
}

inline Error_t GetDeviceCount(int* out) {
  const Error_t error = cuInit(0);
  return remember(error == CUDA_SUCCESS ? cuDeviceGetCount(out) : error);
}

inline Error_t GetDeviceProperties(Properties* out, int device) {
  Error_t error = cuInit(0);
  const auto then = [&](auto function, auto... arguments) {
    if (error == CUDA_SUCCESS) error = function(arguments...);
  };
  then(cuDeviceGetName, out->name_buffer.data(), int{std::tuple_size_v<decltype(out->name_buffer)>},
       device);
  then(cuDeviceGetUuid, &out->uuid, device);
  then(cuDeviceTotalMem, &out->totalGlobalMem, device);
  then(cuDeviceGetAttribute, &out->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  then(cuDeviceGetAttribute, &out->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return remember(error);
}

inline Error_t DeviceGetPCIBusId(char* out, int length, int device) {
  return remember(cuDeviceGetPCIBusId(out, length, device));
}

inline Error_t GetDevice(int* out) {
  CUcontext context = nullptr;
  *out = 0;
  const Error_t error = cuInit(0);
  if (error != CUDA_SUCCESS) return remember(error);
  static_cast<void>(cuCtxGetCurrent(&context));
  return context == nullptr ? CUDA_SUCCESS : remember(cuCtxGetDevice(out));
}

inline Error_t SetDevice(int device) {
  CUcontext context = nullptr;
  Error_t error = cuInit(0);
  if (error == CUDA_SUCCESS) error = primary_context(device, context);
  if (error == CUDA_SUCCESS) error = cuCtxSetCurrent(context);
  return remember(error);
}

inline Error_t DeviceSynchronize() {
  return in_context([] { return cuCtxSynchronize(); });
}

inline Error_t DeviceCanAccessPeer(int* out, int device, int peer) {
  return remember(cuDeviceCanAccessPeer(out, device, peer));
}

inline Error_t DeviceEnablePeerAccess(int peer, unsigned int flags) {
  return in_context([&] {
    CUcontext context = nullptr;
    const Error_t error = primary_context(peer, context);
    return error == CUDA_SUCCESS ? cuCtxEnablePeerAccess(context, flags) : error;
  });
}

inline Error_t DeviceDisablePeerAccess(int peer) {
  return in_context([&] {
    CUcontext context = nullptr;
    const Error_t error = primary_context(peer, context);
    return error == CUDA_SUCCESS ? cuCtxDisablePeerAccess(context) : error;
  });
}

// ---- memory -------------------------------------------------------------------------------------

inline Error_t Malloc(void** out, std::size_t bytes) {
  return in_context([&] {
    CUdeviceptr memory = 0;
    const Error_t error = cuMemAlloc(&memory, bytes);
    if (error == CUDA_SUCCESS) *out = std::bit_cast<void*>(memory);
    return error;
  });
}

inline Error_t MallocManaged(void** out, std::size_t bytes, unsigned int flags) {
  return in_context([&] {
    CUdeviceptr memory = 0;
    const Error_t error = cuMemAllocManaged(&memory, bytes, flags);
    if (error == CUDA_SUCCESS) *out = std::bit_cast<void*>(memory);
    return error;
  });
}

inline Error_t Free(void* memory) {
  return in_context([&] { return cuMemFree(address_of(memory)); });
}

inline Error_t MallocAsync(void** out, std::size_t bytes, CUstream stream) {
  return in_context([&] {
    CUdeviceptr memory = 0;
    const Error_t error = cuMemAllocAsync(&memory, bytes, stream);
    if (error == CUDA_SUCCESS) *out = std::bit_cast<void*>(memory);
    return error;
  });
}

inline Error_t FreeAsync(void* memory, CUstream stream) {
  return in_context([&] { return cuMemFreeAsync(address_of(memory), stream); });
}

inline Error_t HostRegister(void* memory, std::size_t bytes, unsigned int flags) {
  return in_context([&] { return cuMemHostRegister(memory, bytes, flags); });
}

inline Error_t HostUnregister(void* memory) {
  return in_context([&] { return cuMemHostUnregister(memory); });
}

// ---- work ---------------------------------------------------------------------------------------

inline Error_t Memcpy(void* to, const void* from, std::size_t bytes, MemcpyKind kind) {
  return in_context([&] {
    switch (kind) {
      case host_to_device:
        return cuMemcpyHtoD(address_of(to), from, bytes);
      case device_to_host:
        return cuMemcpyDtoH(to, address_of(from), bytes);
      case device_to_device:
        return cuMemcpyDtoD(address_of(to), address_of(from), bytes);
      default:
        return cuMemcpy(address_of(to), address_of(from), bytes);
    }
  });
}

inline Error_t MemcpyAsync(void* to, const void* from, std::size_t bytes, MemcpyKind kind,
                           CUstream stream) {
  return in_context([&] {
    switch (kind) {
      case host_to_device:
        return cuMemcpyHtoDAsync(address_of(to), from, bytes, stream);
      case device_to_host:
        return cuMemcpyDtoHAsync(to, address_of(from), bytes, stream);
      case device_to_device:
        return cuMemcpyDtoDAsync(address_of(to), address_of(from), bytes, stream);
      default:
        return cuMemcpyAsync(address_of(to), address_of(from), bytes, stream);
    }
  });
}

inline Error_t Memcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                             std::size_t from_pitch, std::size_t row_bytes, std::size_t rows,
                             MemcpyKind kind, CUstream stream) {
  const bool known = kind <= device_to_device;
  const bool from_host = kind == host_to_host || kind == host_to_device;
  const bool to_host = kind == host_to_host || kind == device_to_host;
  const auto place = [&](bool host) {
    if (!known) return CU_MEMORYTYPE_UNIFIED;
    return host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  };
  CUDA_MEMCPY2D box{};
  box.srcMemoryType = place(from_host);
  box.srcHost = from;
  box.srcDevice = address_of(from);
  box.srcPitch = from_pitch;
  box.dstMemoryType = place(to_host);
  box.dstHost = to;
  box.dstDevice = address_of(to);
  box.dstPitch = to_pitch;
  box.WidthInBytes = row_bytes;
  box.Height = rows;
  return in_context([&] { return cuMemcpy2DAsync(&box, stream); });
}

inline Error_t MemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                               std::size_t bytes, CUstream stream) {
  return in_context([&] {
    CUcontext there = nullptr, here = nullptr;
    Error_t error = primary_context(to_device, there);
    if (error == CUDA_SUCCESS) error = primary_context(from_device, here);
    if (error != CUDA_SUCCESS) return error;
    return cuMemcpyPeerAsync(address_of(to), there, address_of(from), here, bytes, stream);
  });
}

inline Error_t Memset(void* memory, int value, std::size_t bytes) {
  return in_context(
      [&] { return cuMemsetD8(address_of(memory), static_cast<unsigned char>(value), bytes); });
}

inline Error_t MemsetAsync(void* memory, int value, std::size_t bytes, CUstream stream) {
  return in_context([&] {
    return cuMemsetD8Async(address_of(memory), static_cast<unsigned char>(value), bytes, stream);
  });
}

// ---- streams and events -------------------------------------------------------------------------

inline Error_t StreamCreateWithPriority(CUstream* out, unsigned int flags, int priority) {
  return in_context([&] { return cuStreamCreateWithPriority(out, flags, priority); });
}

inline Error_t StreamDestroy(CUstream stream) {
  return in_context([&] { return cuStreamDestroy(stream); });
}

inline Error_t StreamQuery(CUstream stream) {
  return in_context([&] { return cuStreamQuery(stream); });
}

inline Error_t StreamSynchronize(CUstream stream) {
  return in_context([&] { return cuStreamSynchronize(stream); });
}

inline Error_t StreamGetFlags(CUstream stream, unsigned int* out) {
  return in_context([&] { return cuStreamGetFlags(stream, out); });
}

inline Error_t StreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return in_context([&] { return cuStreamWaitEvent(stream, event, flags); });
}

inline Error_t EventCreateWithFlags(CUevent* out, unsigned int flags) {
  return in_context([&] { return cuEventCreate(out, flags); });
}

inline Error_t EventDestroy(CUevent event) {
  return in_context([&] { return cuEventDestroy(event); });
}

inline Error_t EventRecord(CUevent event, CUstream stream) {
  return in_context([&] { return cuEventRecord(event, stream); });
}

inline Error_t EventQuery(CUevent event) {
  return in_context([&] { return cuEventQuery(event); });
}

inline Error_t EventSynchronize(CUevent event) {
  return in_context([&] { return cuEventSynchronize(event); });
}

inline Error_t EventElapsedTime(float* out, CUevent start, CUevent end) {
  return in_context([&] { return cuEventElapsedTime(out, start, end); });
}

// ---- capture ------------------------------------------------------------------------------------

inline Error_t StreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return in_context([&] { return cuStreamBeginCapture(stream, mode); });
}

inline Error_t StreamEndCapture(CUstream stream, CUgraph* out) {
  return in_context([&] { return cuStreamEndCapture(stream, out); });
}

inline Error_t StreamIsCapturing(CUstream stream, CUstreamCaptureStatus* out) {
  return in_context([&] { return cuStreamIsCapturing(stream, out); });
}

inline Error_t ThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return in_context([&] { return cuThreadExchangeStreamCaptureMode(mode); });
}

inline Error_t GraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph,
                                         unsigned long long flags) {
  return in_context([&] { return cuGraphInstantiateWithFlags(out, graph, flags); });
}

inline Error_t GraphLaunch(CUgraphExec graph, CUstream stream) {
  return in_context([&] { return cuGraphLaunch(graph, stream); });
}

inline Error_t GraphDestroy(CUgraph graph) {
  return in_context([&] { return cuGraphDestroy(graph); });
}

inline Error_t GraphExecDestroy(CUgraphExec graph) {
  return in_context([&] { return cuGraphExecDestroy(graph); });
}

}  // namespace dlcert::driver::driver_api

namespace dlcert::driver::vendor_api {

struct NativeAttributes {
  MemoryKind kind = MemoryKind::pageable;
  int device = -1;
  void* devicePointer = nullptr;
  void* hostPointer = nullptr;
};
using NativeProperties = driver_api::Properties;

inline constexpr std::string_view driver_name = "cuda-driver";
inline constexpr Vendor vendor = Vendor::cuda;

inline CUresult allocate_pinned(void** out, std::size_t bytes) {
  return driver_api::in_context([&] { return cuMemHostAlloc(out, bytes, 0); });
}

inline CUresult release_pinned(void* memory) {
  return driver_api::in_context([&] { return cuMemFreeHost(memory); });
}

inline CUresult read_uuid(int /*device*/, const NativeProperties& found, DeviceProperties& out) {
  static_assert(sizeof found.uuid.bytes == sizeof out.uuid);
  std::memcpy(out.uuid.data(), found.uuid.bytes, sizeof out.uuid);
  return CUDA_SUCCESS;
}

inline CUresult read_context(int device, int& active) {
  unsigned int flags = 0;
  const CUresult error = cuInit(0);
  return driver_api::remember(
      error == CUDA_SUCCESS ? cuDevicePrimaryCtxGetState(device, &flags, &active) : error);
}

/// Memory that the driver does not know is no error here.
inline CUresult read_attributes(const void* memory, NativeAttributes& out) {
  return driver_api::in_context([&] {
    const CUdeviceptr address = driver_api::address_of(memory);
    CUmemorytype type{};
    unsigned int managed = 0;
    const auto read = [&](void* to, CUpointer_attribute attribute) {
      return cuPointerGetAttribute(to, attribute, address) == CUDA_SUCCESS;
    };
    if (!read(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE)) return CUDA_SUCCESS;
    static_cast<void>(read(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED));
    static_cast<void>(read(&out.device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL));
    static_cast<void>(read(&out.devicePointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER));
    static_cast<void>(read(&out.hostPointer, CU_POINTER_ATTRIBUTE_HOST_POINTER));
    out.kind = type == CU_MEMORYTYPE_HOST ? MemoryKind::pinned : MemoryKind::device;
    if (managed != 0) out.kind = MemoryKind::managed;
    return CUDA_SUCCESS;
  });
}

inline MemoryKind kind_of(const NativeAttributes& attributes) {
  return attributes.kind;
}

inline CUresult read_stream_id(CUstream stream, unsigned long long& out) {
  return driver_api::in_context([&] { return cuStreamGetId(stream, &out); });
}

inline CUresult launch_host_function(CUstream stream, HostFunction function, void* data) {
  return driver_api::in_context([&] { return cuLaunchHostFunc(stream, function, data); });
}

}  // namespace dlcert::driver::vendor_api
