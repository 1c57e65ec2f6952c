// SPDX-License-Identifier: Apache-2.0
//
// The choice of devices, what is between them, and tools.

#include <cstddef>

#include "shims/common/device_limits.hpp"
#include "shims/cuda/cuda_shim.hpp"
#include "shims/common/entry_points.inc"

// Of cuda_profiler_api.h, which not every installation has.
extern "C" {
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}

// ---- choice -------------------------------------------------------------------------------------

namespace {

bool satisfies(const dlcert::driver::DeviceProperties& device, const cudaDeviceProp& wanted) {
  const bool is_new =
      device.major > wanted.major || (device.major == wanted.major && device.minor >= wanted.minor);
  return is_new && device.total_memory >= wanted.totalGlobalMem;
}

}  // namespace

// Of devices that are equally good, and where none has what is wanted, the first.
extern "C" cudaError_t cudaChooseDevice(int* out, const cudaDeviceProp* wanted) {
  return run_for<int>(out, [&](SimulatedDriver& driver, int& chosen) {
    int count = 0;
    if (wanted == nullptr) return Status::invalid_value;
    const Status status = driver.device_count(count);
    if (status != Status::success) return status;
    for (int device = 0; device < count; ++device) {
      dlcert::driver::DeviceProperties found;
      const Status answer = driver.properties(device, found);
      if (answer != Status::success) return answer;
      if (!satisfies(found, *wanted)) continue;
      chosen = device;
      return Status::success;
    }
    return Status::success;
  });
}

// The device of a thread that has chosen none is 0.
extern "C" cudaError_t cudaSetValidDevices(int* devices, int count) {
  return run([&](SimulatedDriver& driver) {
    static std::atomic_flag reported;
    int existing = 0;
    const Status status = driver.device_count(existing);
    if (status != Status::success || count == 0) return status;
    if (devices == nullptr || count < 0 || count > existing) return Status::invalid_value;
    for (int index = 0; index < count; ++index)
      if (devices[index] < 0 || devices[index] >= existing) return Status::invalid_device;
    if (devices[0] == 0) return Status::success;
    return dlcert::shim::not_modelled("cudaSetValidDevices with a first device other than 0",
                                      reported);
  });
}

// ---- between devices ----------------------------------------------------------------------------

extern "C" cudaError_t cudaDeviceGetP2PAttribute(int* out, cudaDeviceP2PAttr attribute, int from,
                                                 int to) {
  return run_for<int>(out, [&](SimulatedDriver& driver, int& value) {
    bool can = false;
    const Status status = driver.can_access_peer(from, to, can);
    if (status != Status::success) return status;
    if (from == to) return Status::invalid_device;
    switch (number_of(attribute)) {
      case cudaDevP2PAttrPerformanceRank:
        value = 0;
        return Status::success;
      case cudaDevP2PAttrAccessSupported:
      case cudaDevP2PAttrNativeAtomicSupported:
      case cudaDevP2PAttrCudaArrayAccessSupported:
        value = can ? 1 : 0;
        return Status::success;
#if CUDART_VERSION >= 13000
      case cudaDevP2PAttrOnlyPartialNativeAtomicSupported:
        value = 0;
        return Status::success;
#endif
      default:
        return Status::invalid_value;
    }
  });
}

// The device attributes say that there is no remote write to flush.
extern "C" cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(
    cudaFlushGPUDirectRDMAWritesTarget /*target*/, cudaFlushGPUDirectRDMAWritesScope /*scope*/) {
  return run([](SimulatedDriver&) { return Status::not_supported; });
}

// ---- limits -------------------------------------------------------------------------------------

extern "C" cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* out,
                                                            const cudaChannelFormatDesc* format,
                                                            int device) {
  return run_for<std::size_t>(out, [&](SimulatedDriver& driver, std::size_t& width) {
    dlcert::driver::DeviceProperties unused;
    if (format == nullptr) return Status::invalid_value;
    const int bits = format->x + format->y + format->z + format->w;
    if (bits <= 0 || bits > 128 || bits % 8 != 0) return Status::invalid_value;
    width = dlcert::shim::linear_texture_width;
    return driver.properties(device, unused);
  });
}

// ---- tools --------------------------------------------------------------------------------------

// No profiler looks.
extern "C" cudaError_t cudaProfilerStart() {
  return run([](SimulatedDriver&) { return Status::success; });
}

extern "C" cudaError_t cudaProfilerStop() {
  return run([](SimulatedDriver&) { return Status::success; });
}
