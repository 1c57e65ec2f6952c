// SPDX-License-Identifier: Apache-2.0
//
// Entry points for which handle 0 is the legacy default stream.

#include "shims/hip/hip_attributes.hpp"
#include "shims/hip/hip_shim.hpp"
#include "shims/common/ipc.inc"
#include "shims/common/runtime.inc"
#include "shims/common/stream_work.inc"
#include "shims/common/variables.inc"

namespace dlcert::shim {

const driver::Vendor vendor = driver::Vendor::rocm;
const char* const library = "libamdhip64";

}  // namespace dlcert::shim

// ---- memory -------------------------------------------------------------------------------------

extern "C" hipError_t hipHostMalloc(void** out, size_t bytes, unsigned int flags) {
  return allocate(MemoryKind::pinned, out, bytes, flags, pinned_flags);
}

extern "C" hipError_t hipMemAllocHost(void** out, size_t bytes) {
  return allocate(MemoryKind::pinned, out, bytes, 0, 0);
}

extern "C" hipError_t hipHostFree(void* memory) {
  return release(MemoryKind::pinned, memory);
}

extern "C" hipError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes,
                                          hipMemcpyKind kind, hipStream_t stream) {
  return run([&](SimulatedDriver& driver) {
    const dlcert::shim::Copy copy{to, bytes, from, bytes, bytes, 1, number_of(kind)};
    const Status status = dlcert::shim::copy_async(driver, copy, stream_of(stream));
    return status == Status::success ? driver.synchronize_stream(stream_of(stream)) : status;
  });
}

namespace {

hipError_t copy_in_legacy_stream(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
  return run([&](SimulatedDriver& driver) {
    return dlcert::shim::copy_now(driver, {to, bytes, from, bytes, bytes, 1, number_of(kind)},
                                  Stream::null);
  });
}

hipError_t copy_in_stream(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  return run([&](SimulatedDriver& driver) {
    return dlcert::shim::copy_async(driver, {to, bytes, from, bytes, bytes, 1, number_of(kind)},
                                    stream_of(stream));
  });
}

}  // namespace

extern "C" hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, size_t bytes) {
  return copy_in_legacy_stream(to, from, bytes, hipMemcpyHostToDevice);
}

extern "C" hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes) {
  return copy_in_legacy_stream(to, from, bytes, hipMemcpyDeviceToHost);
}

extern "C" hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  return copy_in_legacy_stream(to, from, bytes, hipMemcpyDeviceToDevice);
}

extern "C" hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, size_t bytes,
                                         hipStream_t stream) {
  return copy_in_stream(to, from, bytes, hipMemcpyHostToDevice, stream);
}

extern "C" hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t bytes,
                                         hipStream_t stream) {
  return copy_in_stream(to, from, bytes, hipMemcpyDeviceToHost, stream);
}

extern "C" hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                                         hipStream_t stream) {
  return copy_in_stream(to, from, bytes, hipMemcpyDeviceToDevice, stream);
}

// ---- capture ------------------------------------------------------------------------------------

extern "C" hipError_t hipGraphInstantiate(hipGraphExec_t* out, hipGraph_t graph,
                                          hipGraphNode_t* /*failed_node*/, char* /*log*/,
                                          size_t /*log_bytes*/) {
  return instantiate(out, graph, 0);
}

// Whether a capture is under way is known, its number is not.
extern "C" hipError_t hipStreamGetCaptureInfo(hipStream_t stream,
                                              hipStreamCaptureStatus* status_out,
                                              unsigned long long* id_out) {
  using dlcert::driver::CaptureStatus;
  return run_for<CaptureStatus>(status_out, [&](SimulatedDriver& driver, CaptureStatus& found) {
    static std::atomic_flag reported;
    const Status status = driver.capture_status(stream_of(stream), found);
    if (status != Status::success || found != CaptureStatus::active || id_out == nullptr)
      return status;
    return dlcert::shim::not_modelled("the capture ID of hipStreamGetCaptureInfo", reported);
  });
}
