// SPDX-License-Identifier: Apache-2.0
//
// What programs set of devices. It is kept and told; no kernel runs that it would change.

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "shims/common/device_limits.hpp"
#include "shims/common/per_world.hpp"
#include "shims/cuda/cuda_functions.hpp"
#include "shims/cuda/cuda_shim.hpp"
#include "shims/common/entry_points.inc"

namespace {

namespace shim = dlcert::shim;

constexpr auto unsupported_limit = static_cast<Status>(cudaErrorUnsupportedLimit);
constexpr int known_limits = cudaLimitPersistingL2CacheSize + 1;

struct Settings {
  unsigned int flags = cudaDeviceScheduleAuto;
  cudaFuncCache cache = cudaFuncCachePreferNone;
  cudaSharedMemConfig shared_memory = cudaSharedMemBankSizeFourByte;
  std::array<std::size_t, known_limits> limits{1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
};

using AllSettings = std::map<int, Settings>;  // by device

// `body(Settings&)`, of the current device.
template <class Body>
cudaError_t with_settings(Body&& body) {
  return run([&](SimulatedDriver& driver) {
    int device = 0;
    const Status status = driver.current_device(device);
    if (status != Status::success) return status;
    return shim::remembered<AllSettings>().with(
        driver, [&](AllSettings& all) { return body(all[device]); });
  });
}

// ---- flags --------------------------------------------------------------------------------------

bool are_valid(unsigned int flags) {
  const unsigned int schedule = flags & cudaDeviceScheduleMask;
  const bool one_schedule = (schedule & (schedule - 1)) == 0;
  return (flags & ~static_cast<unsigned int>(cudaDeviceMask)) == 0 && one_schedule;
}

Status set_flags(SimulatedDriver& driver, int device, unsigned int flags) {
  if (!are_valid(flags)) return Status::invalid_value;
  const Status status = driver.init_device(device);
  if (status != Status::success) return status;
  shim::remembered<AllSettings>().with(driver,
                                       [&](AllSettings& all) { all[device].flags = flags; });
  return Status::success;
}

// ---- limits -------------------------------------------------------------------------------------

// Devices of 9.0 and above do not wait for the grids that a kernel launches.
Status check_limit(SimulatedDriver& driver, cudaLimit limit) {
  int device = 0;
  dlcert::driver::DeviceProperties found;
  Status status = driver.current_device(device);
  if (status == Status::success) status = driver.properties(device, found);
  if (status != Status::success) return status;
  const int number = number_of(limit);
  const bool known = number >= 0 && number < known_limits;
  const bool has = limit != cudaLimitDevRuntimeSyncDepth || found.major < 9;
  return known && has ? Status::success : unsupported_limit;
}

// The driver may choose a value that the device can have.
std::size_t adjusted(cudaLimit limit, std::size_t value) {
  switch (limit) {
    case cudaLimitStackSize:
      return std::min<std::size_t>((value + 15) / 16 * 16, 512 * 1024);
    case cudaLimitMaxL2FetchGranularity:
      return std::min<std::size_t>(value, 128);
    case cudaLimitPersistingL2CacheSize:
      return 0;  // as the device attribute says
    default:
      return value;
  }
}

constexpr std::size_t deepest_launch = 24;

}  // namespace

extern "C" cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return run([&](SimulatedDriver& driver) {
    int device = 0;
    const Status status = driver.current_device(device);
    return status == Status::success ? set_flags(driver, device, flags) : status;
  });
}

// The runtime maps pinned memory whether it is asked to or not.
extern "C" cudaError_t cudaGetDeviceFlags(unsigned int* out) {
  return with_settings([&](const Settings& settings) {
    if (out == nullptr) return Status::invalid_value;
    *out = settings.flags | cudaDeviceMapHost;
    return Status::success;
  });
}

extern "C" cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags) {
  return run([&](SimulatedDriver& driver) {
    if (flags > cudaInitDeviceFlagsAreValid) return Status::invalid_value;
    return flags == 0 ? driver.init_device(device) : set_flags(driver, device, device_flags);
  });
}

extern "C" cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return run([&](SimulatedDriver& driver) {
    const Status status = check_limit(driver, limit);
    if (status != Status::success) return status;
    if (limit == cudaLimitDevRuntimeSyncDepth && value > deepest_launch)
      return Status::invalid_value;
    int device = 0;
    static_cast<void>(driver.current_device(device));
    shim::remembered<AllSettings>().with(driver, [&](AllSettings& all) {
      all[device].limits[static_cast<std::size_t>(limit)] = adjusted(limit, value);
    });
    return Status::success;
  });
}

extern "C" cudaError_t cudaDeviceGetLimit(size_t* out, cudaLimit limit) {
  return run_for<std::size_t>(out, [&](SimulatedDriver& driver, std::size_t& value) {
    const Status status = check_limit(driver, limit);
    if (status != Status::success) return status;
    int device = 0;
    static_cast<void>(driver.current_device(device));
    value = shim::remembered<AllSettings>().with(driver, [&](AllSettings& all) {
      return all[device].limits[static_cast<std::size_t>(limit)];
    });
    return Status::success;
  });
}

extern "C" cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return with_settings([&](Settings& settings) {
    const int number = number_of(config);
    if (number < 0 || number > cudaFuncCachePreferEqual) return Status::invalid_value;
    settings.cache = config;
    return Status::success;
  });
}

extern "C" cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* out) {
  return with_settings([&](const Settings& settings) {
    if (out == nullptr) return Status::invalid_value;
    *out = settings.cache;
    return Status::success;
  });
}

// Banks have four bytes whatever is asked for.
extern "C" cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return with_settings([&](Settings&) {
    const int number = number_of(config);
    const bool known = number >= 0 && number <= cudaSharedMemBankSizeEightByte;
    return known ? Status::success : Status::invalid_value;
  });
}

extern "C" cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* out) {
  return with_settings([&](const Settings& settings) {
    if (out == nullptr) return Status::invalid_value;
    *out = settings.shared_memory;
    return Status::success;
  });
}

// No line of a cache persists.
extern "C" cudaError_t cudaCtxResetPersistingL2Cache() {
  return with_settings([](Settings&) { return Status::success; });
}

// Streams, events and memory end, and so do the settings.
extern "C" cudaError_t cudaDeviceReset() {
  return run([](SimulatedDriver& driver) {
    int device = 0;
    Status status = driver.current_device(device);
    if (status == Status::success) status = driver.reset_device();
    if (status != Status::success) return status;
    shim::remembered<AllSettings>().with(driver, [&](AllSettings& all) { all.erase(device); });
    shim::forget_functions(driver, device);
    return Status::success;
  });
}
