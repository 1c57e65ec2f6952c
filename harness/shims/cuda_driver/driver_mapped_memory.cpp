// SPDX-License-Identifier: Apache-2.0
//
// Virtual memory management: addresses, memory, and which lies where. Handles for other processes
// are refused, and memory of the host.

#include "shims/cuda_driver/driver_shim.hpp"

namespace {

using dlcert::driver::mapping_granularity;
using dlcert::driver::MemoryHandle;
using dlcert::driver::PhysicalMemoryDetails;
using dlcert::driver::PoolAccess;

MemoryHandle memory_handle(CUmemGenericAllocationHandle handle) {
  return MemoryHandle{handle};
}

bool is_of_host(int location) {
  return location == CU_MEM_LOCATION_TYPE_HOST || location == CU_MEM_LOCATION_TYPE_HOST_NUMA;
}

// Success for memory that devices here can have.
Status check(const CUmemAllocationProp* of) {
  static std::atomic_flag of_host_reported, managed_reported;
  if (of == nullptr) return Status::invalid_value;
  const int location = number_of(of->location.type), type = number_of(of->type);
  if (type == CU_MEM_ALLOCATION_TYPE_MANAGED)
    return dlcert::shim::note_limit("managed memory of cuMemCreate", managed_reported);
  if (type != CU_MEM_ALLOCATION_TYPE_PINNED) return Status::invalid_value;
  if (is_of_host(location))
    return dlcert::shim::note_limit("host memory of cuMemCreate", of_host_reported);
  if (location != CU_MEM_LOCATION_TYPE_DEVICE || of->win32HandleMetaData != nullptr)
    return Status::invalid_value;
  // As the attributes of devices say. That memory be compressible is a hint.
  const int handles = number_of(of->requestedHandleTypes);
  const bool has_handles =
      handles == CU_MEM_HANDLE_TYPE_NONE || handles == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  const bool is_plain = of->allocFlags.gpuDirectRDMACapable == 0 && of->allocFlags.usage == 0;
  return has_handles && is_plain ? Status::success : Status::not_supported;
}

// The device of a location that access is asked for or set of.
Status find_device(const CUmemLocation& location, int& out) {
  static std::atomic_flag reported;
  if (is_of_host(number_of(location.type)))
    return dlcert::shim::note_limit("host access to mapped memory", reported);
  if (number_of(location.type) != CU_MEM_LOCATION_TYPE_DEVICE) return Status::invalid_value;
  out = location.id;
  return Status::success;
}

Status check_access(const CUmemAccessDesc& of) {
  const int flags = number_of(of.flags);
  const bool known = flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                     flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                     flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  int unused = 0;
  return known ? find_device(of.location, unused) : Status::invalid_value;
}

}  // namespace

// ---- addresses ----------------------------------------------------------------------------------

// Where they are wanted is a hint.
extern "C" CUresult cuMemAddressReserve(CUdeviceptr* out, size_t bytes, size_t alignment,
                                        CUdeviceptr /*hint*/, unsigned long long flags) {
  return run_for<void*>(out, [&](SimulatedDriver& driver, void*& begin) {
    return flags == 0 ? driver.reserve_addresses(bytes, alignment, begin) : Status::invalid_value;
  });
}

extern "C" CUresult cuMemAddressFree(CUdeviceptr begin, size_t bytes) {
  return run(
      [&](SimulatedDriver& driver) { return driver.free_addresses(memory_of(begin), bytes); });
}

// ---- memory -------------------------------------------------------------------------------------

extern "C" CUresult cuMemGetAllocationGranularity(size_t* out, const CUmemAllocationProp* of,
                                                  CUmemAllocationGranularity_flags which) {
  return run_for<std::size_t>(out, [&](SimulatedDriver&, std::size_t& granularity) {
    const int number = number_of(which);
    if (number < 0 || number > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) return Status::invalid_value;
    granularity = mapping_granularity;
    return check(of);
  });
}

extern "C" CUresult cuMemCreate(CUmemGenericAllocationHandle* out, size_t bytes,
                                const CUmemAllocationProp* of, unsigned long long flags) {
  return run_for<MemoryHandle>(out, [&](SimulatedDriver& driver, MemoryHandle& memory) {
    if (flags != 0) return Status::invalid_value;
    if (const Status status = check(of); status != Status::success) return status;
    const auto handles = static_cast<unsigned int>(number_of(of->requestedHandleTypes));
    return driver.create_memory({of->location.id, bytes, handles}, memory);
  });
}

extern "C" CUresult cuMemRelease(CUmemGenericAllocationHandle memory) {
  return run([&](SimulatedDriver& driver) { return driver.release_memory(memory_handle(memory)); });
}

extern "C" CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* out, void* address) {
  return run_for<MemoryHandle>(out, [&](SimulatedDriver& driver, MemoryHandle& memory) {
    return driver.retain_mapped(address, memory);
  });
}

extern "C" CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* out,
                                                           CUmemGenericAllocationHandle memory) {
  return run([&](SimulatedDriver& driver) {
    PhysicalMemoryDetails details;
    if (out == nullptr) return Status::invalid_value;
    const Status status = driver.memory_details(memory_handle(memory), details);
    if (status != Status::success) return status;
    *out = {};
    out->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    out->requestedHandleTypes = static_cast<CUmemAllocationHandleType>(details.handle_types);
    out->location = {CU_MEM_LOCATION_TYPE_DEVICE, details.device};
    return Status::success;
  });
}

// ---- mappings -----------------------------------------------------------------------------------

// The offset "currently must be zero".
extern "C" CUresult cuMemMap(CUdeviceptr begin, size_t bytes, size_t offset,
                             CUmemGenericAllocationHandle memory, unsigned long long flags) {
  return run([&](SimulatedDriver& driver) {
    if (offset != 0 || flags != 0) return Status::invalid_value;
    return driver.map_memory(memory_of(begin), bytes, memory_handle(memory));
  });
}

extern "C" CUresult cuMemUnmap(CUdeviceptr begin, size_t bytes) {
  return run([&](SimulatedDriver& driver) { return driver.unmap_memory(memory_of(begin), bytes); });
}

extern "C" CUresult cuMemSetAccess(CUdeviceptr begin, size_t bytes, const CUmemAccessDesc* of,
                                   size_t count) {
  return run([&](SimulatedDriver& driver) {
    Status status = of != nullptr && count != 0 ? Status::success : Status::invalid_value;
    for (std::size_t index = 0; status == Status::success && index < count; ++index)
      status = check_access(of[index]);
    for (std::size_t index = 0; status == Status::success && index < count; ++index)
      status = driver.set_access(memory_of(begin), bytes, of[index].location.id,
                                 static_cast<PoolAccess>(number_of(of[index].flags)));
    return status;
  });
}

extern "C" CUresult cuMemGetAccess(unsigned long long* out, const CUmemLocation* location,
                                   CUdeviceptr address) {
  return run_for<PoolAccess>(out, [&](SimulatedDriver& driver, PoolAccess& access) {
    int device = 0;
    if (location == nullptr) return Status::invalid_value;
    const Status status = find_device(*location, device);
    return status == Status::success ? driver.mapped_access(memory_of(address), device, access)
                                     : status;
  });
}
