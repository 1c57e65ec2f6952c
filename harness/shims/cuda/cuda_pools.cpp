// SPDX-License-Identifier: Apache-2.0
//
// Memory pools of devices, and what the graphs of a device hold.

#include <algorithm>
#include <array>

#include "shims/cuda/cuda_shim.hpp"
#include "shims/common/entry_points.inc"

namespace {

using dlcert::driver::Pool;
using dlcert::driver::PoolAccess;
using dlcert::driver::PoolAttribute;

Pool pool_of(cudaMemPool_t pool) {
  return std::bit_cast<Pool>(pool);
}

Status not_modelled_pool(std::atomic_flag& reported) {
  return dlcert::shim::not_modelled(
      "a memory pool that is not of a device, or is for other processes", reported);
}

// ---- attributes ---------------------------------------------------------------------------------

bool is_int(cudaMemPoolAttr attribute) {
  return number_of(attribute) <= cudaMemPoolReuseAllowInternalDependencies;
}

std::uint64_t read_value(cudaMemPoolAttr attribute, const void* value) {
  if (is_int(attribute)) return *static_cast<const int*>(value) != 0 ? 1 : 0;
  return *static_cast<const std::uint64_t*>(value);
}

void write_value(cudaMemPoolAttr attribute, std::uint64_t value, void* out) {
  if (is_int(attribute))
    *static_cast<int*>(out) = static_cast<int>(value);
  else
    *static_cast<std::uint64_t*>(out) = value;
}

// The levels of graphs have the numbers of those of pools in another order.
bool find_level(cudaGraphMemAttributeType attribute, PoolAttribute& out) {
  constexpr std::array levels{PoolAttribute::used, PoolAttribute::used_high,
                              PoolAttribute::reserved, PoolAttribute::reserved_high};
  const auto index = static_cast<std::size_t>(number_of(attribute));
  if (index >= levels.size()) return false;
  out = levels.at(index);
  return true;
}

// ---- places -------------------------------------------------------------------------------------

// Whether pools of the place are modelled, are not, or cannot be.
enum class Place : std::uint8_t { device, other, none };

Place place_of(const cudaMemLocation& location, cudaMemAllocationType type) {
  const int place = number_of(location.type);
  const bool pinned = number_of(type) == cudaMemAllocationTypePinned;
  if (pinned && place == cudaMemLocationTypeDevice) return Place::device;
  if (pinned && (place == cudaMemLocationTypeHost || place == cudaMemLocationTypeHostNuma))
    return Place::other;
#if CUDART_VERSION >= 13000
  if (number_of(type) == cudaMemAllocationTypeManaged && place >= cudaMemLocationTypeNone &&
      place <= cudaMemLocationTypeHostNuma)
    return Place::other;
#endif
  return Place::none;
}

bool is_zero(const cudaMemPoolProps& properties) {
  return properties.win32SecurityAttributes == nullptr &&
         std::ranges::all_of(properties.reserved, [](unsigned char byte) { return byte == 0; });
}

}  // namespace

// ---- pools --------------------------------------------------------------------------------------

extern "C" cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* out, int device) {
  return run_for<Pool>(
      out, [&](SimulatedDriver& driver, Pool& pool) { return driver.default_pool(device, pool); });
}

extern "C" cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* out, int device) {
  return run_for<Pool>(
      out, [&](SimulatedDriver& driver, Pool& pool) { return driver.current_pool(device, pool); });
}

extern "C" cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return run(
      [&](SimulatedDriver& driver) { return driver.set_current_pool(device, pool_of(pool)); });
}

extern "C" cudaError_t cudaMemPoolCreate(cudaMemPool_t* out, const cudaMemPoolProps* properties) {
  return run_for<Pool>(out, [&](SimulatedDriver& driver, Pool& pool) {
    static std::atomic_flag reported;
    if (properties == nullptr || !is_zero(*properties)) return Status::invalid_value;
    const Place place = place_of(properties->location, properties->allocType);
    const bool shared = number_of(properties->handleTypes) != cudaMemHandleTypeNone;
    const bool of_host = number_of(properties->location.type) == cudaMemLocationTypeHost;
    if (place == Place::none || (shared && of_host)) return Status::invalid_value;
    if (place == Place::other || shared) return not_modelled_pool(reported);
    return driver.create_pool(properties->location.id, properties->maxSize, pool);
  });
}

extern "C" cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return run([&](SimulatedDriver& driver) { return driver.destroy_pool(pool_of(pool)); });
}

extern "C" cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t kept) {
  return run([&](SimulatedDriver& driver) { return driver.trim_pool(pool_of(pool), kept); });
}

extern "C" cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                               void* value) {
  return run([&](SimulatedDriver& driver) {
    if (value == nullptr) return Status::invalid_value;
    return driver.set_pool_attribute(pool_of(pool),
                                     static_cast<PoolAttribute>(number_of(attribute)),
                                     read_value(attribute, value));
  });
}

extern "C" cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                               void* value) {
  return run([&](SimulatedDriver& driver) {
    if (value == nullptr) return Status::invalid_value;
    std::uint64_t found = 0;
    const Status status = driver.pool_attribute(
        pool_of(pool), static_cast<PoolAttribute>(number_of(attribute)), found);
    if (status == Status::success) write_value(attribute, found, value);
    return status;
  });
}

extern "C" cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* given,
                                            size_t count) {
  return run([&](SimulatedDriver& driver) {
    if (given == nullptr && count != 0) return Status::invalid_value;
    for (std::size_t index = 0; index < count; ++index) {
      const cudaMemAccessDesc& one = given[index];
      const int flags = number_of(one.flags);
      const bool known = flags == cudaMemAccessFlagsProtNone ||
                         flags == cudaMemAccessFlagsProtRead ||
                         flags == cudaMemAccessFlagsProtReadWrite;
      if (!known || number_of(one.location.type) != cudaMemLocationTypeDevice)
        return Status::invalid_value;
      const Status status =
          driver.set_pool_access(pool_of(pool), one.location.id, static_cast<PoolAccess>(flags));
      if (status != Status::success) return status;
    }
    PoolAccess unused{};
    return driver.pool_access(pool_of(pool), 0, unused);  // of nothing, the handle is still checked
  });
}

extern "C" cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* out, cudaMemPool_t pool,
                                            cudaMemLocation* location) {
  return run_for<PoolAccess>(out, [&](SimulatedDriver& driver, PoolAccess& access) {
    if (location == nullptr || number_of(location->type) != cudaMemLocationTypeDevice)
      return Status::invalid_value;
    return driver.pool_access(pool_of(pool), location->id, access);
  });
}

// ---- pools by place -----------------------------------------------------------------------------

#if CUDART_VERSION >= 13000

namespace {

// `body(SimulatedDriver&, int device)` for pools of devices.
template <class Body>
Status with_place(SimulatedDriver& driver, const cudaMemLocation* location,
                  cudaMemAllocationType type, Body&& body) {
  static std::atomic_flag reported;
  const Place place = location != nullptr ? place_of(*location, type) : Place::none;
  if (place == Place::none) return Status::invalid_value;
  if (place == Place::other) return not_modelled_pool(reported);
  const Status status = body(driver, location->id);
  return status == Status::invalid_device ? Status::invalid_value : status;
}

}  // namespace

extern "C" cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* out, cudaMemLocation* location,
                                                cudaMemAllocationType type) {
  return run_for<Pool>(out, [&](SimulatedDriver& driver, Pool& pool) {
    return with_place(driver, location, type, [&](SimulatedDriver& with, int device) {
      return with.default_pool(device, pool);
    });
  });
}

extern "C" cudaError_t cudaMemGetMemPool(cudaMemPool_t* out, cudaMemLocation* location,
                                         cudaMemAllocationType type) {
  return run_for<Pool>(out, [&](SimulatedDriver& driver, Pool& pool) {
    return with_place(driver, location, type, [&](SimulatedDriver& with, int device) {
      return with.current_pool(device, pool);
    });
  });
}

extern "C" cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type,
                                         cudaMemPool_t pool) {
  return run([&](SimulatedDriver& driver) {
    return with_place(driver, location, type, [&](SimulatedDriver& with, int device) {
      return with.set_current_pool(device, pool_of(pool));
    });
  });
}

#endif

// ---- pools for other processes ------------------------------------------------------------------

// No pool is made for other processes, so that there is nothing to export.

extern "C" cudaError_t cudaMemPoolExportToShareableHandle(void* /*out*/, cudaMemPool_t /*pool*/,
                                                          cudaMemAllocationHandleType /*type*/,
                                                          unsigned int /*flags*/) {
  return run([](SimulatedDriver&) { return Status::invalid_value; });
}

extern "C" cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* /*out*/,
                                                void* /*memory*/) {
  return run([](SimulatedDriver&) { return Status::invalid_value; });
}

// ---- memory of graphs ---------------------------------------------------------------------------

extern "C" cudaError_t cudaDeviceGraphMemTrim(int device) {
  return run([&](SimulatedDriver& driver) { return driver.trim_graph_memory(device); });
}

extern "C" cudaError_t cudaDeviceGetGraphMemAttribute(int device,
                                                      cudaGraphMemAttributeType attribute,
                                                      void* out) {
  return run([&](SimulatedDriver& driver) {
    PoolAttribute level{};
    std::uint64_t found = 0;
    if (out == nullptr || !find_level(attribute, level)) return Status::invalid_value;
    const Status status = driver.graph_memory(device, level, found);
    if (status == Status::success) *static_cast<std::uint64_t*>(out) = found;
    return status;
  });
}

extern "C" cudaError_t cudaDeviceSetGraphMemAttribute(int device,
                                                      cudaGraphMemAttributeType attribute,
                                                      void* value) {
  return run([&](SimulatedDriver& driver) {
    PoolAttribute level{};
    const bool is_reset = value != nullptr && *static_cast<const std::uint64_t*>(value) == 0;
    if (!is_reset || !find_level(attribute, level)) return Status::invalid_value;
    return driver.reset_graph_memory(device, level);
  });
}
