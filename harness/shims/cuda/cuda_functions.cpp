// SPDX-License-Identifier: Apache-2.0
//
// Attributes and occupancy of kernels.

#include "shims/cuda/cuda_functions.hpp"

#include <climits>
#include <cstddef>
#include <map>
#include <utility>

#include "shims/common/functions.hpp"
#include "shims/common/kernels.hpp"
#include "shims/common/per_world.hpp"
#include "shims/cuda/cuda_shim.hpp"
#include "shims/common/entry_points.inc"

namespace {

namespace shim = dlcert::shim;

constexpr auto invalid_cluster_size = static_cast<Status>(cudaErrorInvalidClusterSize);

// What a program may set of a kernel on a device.
struct Settings {
  int dynamic_shared_bytes = shim::shared_bytes_per_block;
  int shared_carveout = cudaSharedmemCarveoutDefault;
  int cluster_width = 0;
  int cluster_height = 0;
  int cluster_depth = 0;
  int non_portable_cluster = 0;
  int cluster_scheduling = cudaClusterSchedulingPolicyDefault;

  [[nodiscard]] int cluster() const { return cluster_width * cluster_height * cluster_depth; }
};

using AllSettings = std::map<std::pair<int, const void*>, Settings>;

Status check_kernel(const void* function) {
  return shim::find_kernel(function) != nullptr ? Status::success : shim::invalid_device_function;
}

// A kernel, and the current device of who asks for it.
struct Asked {
  dlcert::driver::DeviceProperties device;
  Settings settings;
};

Status find(SimulatedDriver& driver, const void* function, Asked& out) {
  int device = 0;
  Status status = driver.current_device(device);
  if (status == Status::success) status = driver.properties(device, out.device);
  if (status == Status::success) status = check_kernel(function);
  if (status != Status::success) return status;
  out.settings = shim::remembered<AllSettings>().with(driver, [&](AllSettings& all) {
    return all[{device, function}];
  });
  return Status::success;
}

// ---- attributes ---------------------------------------------------------------------------------

void describe(const Asked& asked, cudaFuncAttributes& out) {
  const Settings& settings = asked.settings;
  out = {};
  out.maxThreadsPerBlock = shim::threads_per_block;
  out.numRegs = shim::registers_per_thread;
  out.ptxVersion = out.binaryVersion = asked.device.major * 10 + asked.device.minor;
  out.maxDynamicSharedSizeBytes = settings.dynamic_shared_bytes;
  out.preferredShmemCarveout = settings.shared_carveout;
  out.requiredClusterWidth = settings.cluster_width;
  out.requiredClusterHeight = settings.cluster_height;
  out.requiredClusterDepth = settings.cluster_depth;
  out.nonPortableClusterSizeAllowed = settings.non_portable_cluster;
  out.clusterSchedulingPolicyPreference = settings.cluster_scheduling;
}

struct Writable {
  int* value = nullptr;  // NULL: it cannot be written
  int least = 0;
  int most = 0;
};

Writable find_writable(Settings& settings, cudaFuncAttribute attribute) {
  switch (number_of(attribute)) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      return {&settings.dynamic_shared_bytes, 0, shim::shared_bytes_per_block_optin};
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      return {&settings.shared_carveout, cudaSharedmemCarveoutDefault,
              cudaSharedmemCarveoutMaxShared};
    case cudaFuncAttributeRequiredClusterWidth:
      return {&settings.cluster_width, 0, INT_MAX};
    case cudaFuncAttributeRequiredClusterHeight:
      return {&settings.cluster_height, 0, INT_MAX};
    case cudaFuncAttributeRequiredClusterDepth:
      return {&settings.cluster_depth, 0, INT_MAX};
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      return {&settings.non_portable_cluster, 0, 1};
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return {&settings.cluster_scheduling, cudaClusterSchedulingPolicyDefault,
              cudaClusterSchedulingPolicyLoadBalancing};
    default:
      return {};
  }
}

Status set_attribute(SimulatedDriver& driver, int device, const void* function,
                     cudaFuncAttribute attribute, int value) {
  if (const Status status = check_kernel(function); status != Status::success) return status;
  return shim::remembered<AllSettings>().with(driver, [&](AllSettings& all) {
    const Writable writable = find_writable(all[{device, function}], attribute);
    if (writable.value == nullptr || value < writable.least || value > writable.most)
      return Status::invalid_value;
    *writable.value = value;
    return Status::success;
  });
}

// ---- occupancy ----------------------------------------------------------------------------------

cudaError_t count_active_blocks(int* out, const void* function, int threads,
                                std::size_t shared_bytes, unsigned int flags) {
  return run_for<int>(out, [&](SimulatedDriver& driver, int& blocks) {
    Asked asked;
    if (flags > cudaOccupancyDisableCachingOverride || threads <= 0) return Status::invalid_value;
    const Status status = find(driver, function, asked);
    blocks = shim::active_blocks(threads, shared_bytes, warp_size);
    return status;
  });
}

// Devices below 9.0 have no clusters but of one block.
int most_blocks(const Asked& asked) {
  if (asked.device.major < 9) return 1;
  return asked.settings.non_portable_cluster != 0 ? shim::largest_cluster : shim::portable_cluster;
}

// 0 when the configuration names none.
long long cluster_of(const cudaLaunchConfig_t& config) {
  for (unsigned int index = 0; index < config.numAttrs; ++index)
    if (config.attrs[index].id == cudaLaunchAttributeClusterDimension) {
      const auto& size = config.attrs[index].val.clusterDim;
      return 1LL * size.x * size.y * size.z;
    }
  return 0;
}

int threads_of(const cudaLaunchConfig_t& config) {
  const auto count = 1ULL * config.blockDim.x * config.blockDim.y * config.blockDim.z;
  return count <= shim::threads_per_block ? static_cast<int>(count) : 0;
}

Status count_active_clusters(const Asked& asked, const cudaLaunchConfig_t& config, int& out) {
  const long long required = asked.settings.cluster(), named = cluster_of(config);
  if (required == 0 && named == 0) return Status::invalid_value;
  if (required != 0 && named != 0 && required != named) return invalid_cluster_size;
  const long long size = required != 0 ? required : named;
  if (size > most_blocks(asked)) return invalid_cluster_size;
  const int blocks = shim::active_blocks(threads_of(config), config.dynamicSmemBytes, warp_size);
  out = static_cast<int>(blocks * shim::multiprocessors / size);
  return Status::success;
}

}  // namespace

void dlcert::shim::forget_functions(SimulatedDriver& driver, int device) {
  remembered<AllSettings>().with(driver, [&](AllSettings& all) {
    std::erase_if(all, [&](const auto& each) { return each.first.first == device; });
  });
}

// ---- entry points -------------------------------------------------------------------------------

extern "C" cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* function) {
  return run([&](SimulatedDriver& driver) {
    Asked asked;
    if (out == nullptr) return Status::invalid_value;
    const Status status = find(driver, function, asked);
    if (status == Status::success) describe(asked, *out);
    return status;
  });
}

extern "C" cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute,
                                            int value) {
  return run([&](SimulatedDriver& driver) {
    int device = 0;
    const Status status = driver.current_device(device);
    if (status != Status::success) return status;
    return set_attribute(driver, device, function, attribute, value);
  });
}

#if CUDART_VERSION >= 12080

extern "C" cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                                       cudaFuncAttribute attribute, int value,
                                                       int device) {
  return run([&](SimulatedDriver& driver) {
    dlcert::driver::DeviceProperties unused;
    const Status status = driver.properties(device, unused);
    if (status != Status::success) return status;
    return set_attribute(driver, device, kernel, attribute, value);
  });
}

#endif

// A preference, which changes nothing here.
extern "C" cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
  return run([&](SimulatedDriver&) {
    const int number = number_of(config);
    if (number < 0 || number > cudaFuncCachePreferEqual) return Status::invalid_value;
    return check_kernel(function);
  });
}

// Banks have four bytes whatever is asked for.
extern "C" cudaError_t cudaFuncSetSharedMemConfig(const void* function,
                                                  cudaSharedMemConfig config) {
  return run([&](SimulatedDriver&) {
    const int number = number_of(config);
    if (number < 0 || number > cudaSharedMemBankSizeEightByte) return Status::invalid_value;
    return check_kernel(function);
  });
}

extern "C" cudaError_t cudaFuncGetName(const char** out, const void* function) {
  return run_for<const char*>(out, [&](SimulatedDriver&, const char*& name) {
    name = shim::find_kernel(function);
    return name != nullptr ? Status::success : shim::invalid_device_function;
  });
}

extern "C" cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* out, const void* function,
                                                                     int threads,
                                                                     size_t shared_bytes) {
  return count_active_blocks(out, function, threads, shared_bytes, cudaOccupancyDefault);
}

extern "C" cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* out, const void* function, int threads, size_t shared_bytes, unsigned int flags) {
  return count_active_blocks(out, function, threads, shared_bytes, flags);
}

extern "C" cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* out, const void* function,
                                                                 int blocks, int threads) {
  return run_for<std::size_t>(out, [&](SimulatedDriver& driver, std::size_t& bytes) {
    Asked asked;
    if (blocks <= 0 || threads <= 0) return Status::invalid_value;
    const Status status = find(driver, function, asked);
    if (status != Status::success) return status;
    if (blocks > shim::active_blocks(threads, 0, warp_size)) return Status::invalid_value;
    bytes = shim::available_shared_bytes(blocks);
    return Status::success;
  });
}

extern "C" cudaError_t cudaOccupancyMaxPotentialClusterSize(int* out, const void* function,
                                                            const cudaLaunchConfig_t* config) {
  return run_for<int>(out, [&](SimulatedDriver& driver, int& size) {
    Asked asked;
    if (config == nullptr || threads_of(*config) == 0) return Status::invalid_value;
    const Status status = find(driver, function, asked);
    size = asked.settings.cluster() != 0 ? asked.settings.cluster() : most_blocks(asked);
    return status;
  });
}

extern "C" cudaError_t cudaOccupancyMaxActiveClusters(int* out, const void* function,
                                                      const cudaLaunchConfig_t* config) {
  return run_for<int>(out, [&](SimulatedDriver& driver, int& clusters) {
    Asked asked;
    if (config == nullptr || threads_of(*config) == 0) return Status::invalid_value;
    const Status status = find(driver, function, asked);
    if (status != Status::success) return status;
    return count_active_clusters(asked, *config, clusters);
  });
}
