// SPDX-License-Identifier: Apache-2.0
//
// Memory, and what is asked of an address.

#include "shims/common/work.hpp"
#include "shims/cuda_driver/driver_shim.hpp"

namespace {

using dlcert::driver::MemoryRange;
using dlcert::driver::PointerAttributes;

constexpr unsigned int pinned_flags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned int register_flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                        CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;

// Nothing is no memory, unlike with the runtime.
template <class Native>
CUresult allocate(MemoryKind kind, Native* out, std::size_t bytes) {
  return run_in_context_for<void*>(out, [&](SimulatedDriver& driver, void*& memory) {
    return bytes == 0 ? Status::invalid_value : driver.allocate(kind, bytes, memory);
  });
}

CUresult release(MemoryKind kind, void* memory) {
  return run_in_context([&](SimulatedDriver& driver) {
    return memory == nullptr ? Status::invalid_value : driver.release(kind, memory);
  });
}

}  // namespace

// ---- memory -------------------------------------------------------------------------------------

extern "C" CUresult cuMemGetInfo(size_t* free, size_t* total) {
  return run_in_context([&](SimulatedDriver& driver) {
    if (free == nullptr || total == nullptr) return Status::invalid_value;
    std::uint64_t found_free = 0, found_total = 0;
    const Status status = driver.memory_info(found_free, found_total);
    if (status != Status::success) return status;
    *free = found_free;
    *total = found_total;
    return Status::success;
  });
}

extern "C" CUresult cuMemAlloc(CUdeviceptr* out, size_t bytes) {
  return allocate(MemoryKind::device, out, bytes);
}

extern "C" CUresult cuMemAllocPitch(CUdeviceptr* out, size_t* pitch, size_t row_bytes, size_t rows,
                                    unsigned int element_bytes) {
  return run_in_context([&](SimulatedDriver& driver) {
    const bool known = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
    void* memory = nullptr;
    if (!known || row_bytes == 0 || rows == 0 || out == nullptr) return Status::invalid_value;
    const Status status = dlcert::shim::allocate_rows(driver, row_bytes, rows, &memory, pitch);
    if (status == Status::success) *out = native<CUdeviceptr>(memory);
    return status;
  });
}

extern "C" CUresult cuMemFree(CUdeviceptr memory) {
  return run_in_context([&](SimulatedDriver& driver) {
    if (memory == 0) return Status::success;
    return dlcert::shim::free_memory(driver, memory_of(memory));
  });
}

extern "C" CUresult cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned int flags) {
  const bool known = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST;
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  return allocate(MemoryKind::managed, out, bytes);
}

// ---- memory of the host -------------------------------------------------------------------------

extern "C" CUresult cuMemAllocHost(void** out, size_t bytes) {
  return allocate(MemoryKind::pinned, out, bytes);
}

extern "C" CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned int flags) {
  if ((flags & ~pinned_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
  return allocate(MemoryKind::pinned, out, bytes);
}

extern "C" CUresult cuMemFreeHost(void* memory) {
  return release(MemoryKind::pinned, memory);
}

extern "C" CUresult cuMemHostRegister(void* memory, size_t bytes, unsigned int flags) {
  return run_in_context([&](SimulatedDriver& driver) {
    if ((flags & ~register_flags) != 0) return Status::invalid_value;
    return driver.register_host(memory, bytes);
  });
}

extern "C" CUresult cuMemHostUnregister(void* memory) {
  return run_in_context([&](SimulatedDriver& driver) { return driver.unregister_host(memory); });
}

extern "C" CUresult cuMemHostGetDevicePointer(CUdeviceptr* out, void* host, unsigned int flags) {
  return run_in_context_for<void*>(out, [&](SimulatedDriver& driver, void*& memory) {
    return flags == 0 ? dlcert::shim::device_address(driver, host, &memory) : Status::invalid_value;
  });
}

// ---- addresses ----------------------------------------------------------------------------------

namespace {

struct Address {
  CUdeviceptr address = 0;
  PointerAttributes attributes = {};
  MemoryRange range = {};

  // Nothing may be at addresses that were reserved.
  [[nodiscard]] bool is_mapped() const { return attributes.kind != MemoryKind::pageable; }
};

// What is no memory of the driver's, nor reserved for some, has no attributes.
Status find_address(SimulatedDriver& driver, CUdeviceptr address, Address& out) {
  out.address = address;
  if (!driver.memory_range(memory_of(address), out.range)) return Status::invalid_value;
  return driver.attributes(memory_of(address), out.attributes);
}

template <class Value>
Status write(void* out, Value value) {
  std::memcpy(out, &value, sizeof value);
  return Status::success;
}

Status write_context(SimulatedDriver& driver, int device, void* out) {
  Context context{};
  Status status = driver.retain_primary(device, context);
  if (status == Status::success) status = driver.release_primary(device);
  return status == Status::success ? write(out, context) : status;
}

CUmemorytype memory_type(MemoryKind kind) {
  return kind == MemoryKind::pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

// Of memory that a program mapped, those that it asked for.
std::uint64_t handle_types(SimulatedDriver& driver, CUdeviceptr address) {
  dlcert::driver::MemoryHandle memory{};
  dlcert::driver::PhysicalMemoryDetails details;
  if (driver.retain_mapped(memory_of(address), memory) != Status::success)
    return CU_MEM_HANDLE_TYPE_NONE;
  static_cast<void>(driver.memory_details(memory, details));
  static_cast<void>(driver.release_memory(memory));
  return details.handle_types;
}

// Of the current device. All may access what they allocated themselves.
int access_flags(SimulatedDriver& driver, CUdeviceptr address) {
  int device = 0;
  dlcert::driver::PoolAccess access{};
  if (driver.current_device(device) != Status::success ||
      driver.mapped_access(memory_of(address), device, access) != Status::success)
    return CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
  return static_cast<int>(access);
}

bool is_of_range(int attribute) {
  return attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
         attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE || attribute == CU_POINTER_ATTRIBUTE_MAPPED;
}

Status write_attribute(SimulatedDriver& driver, const Address& of, int attribute, void* out) {
  static std::atomic_flag reported, mapping_reported;
  if (!of.is_mapped() && !is_of_range(attribute)) return Status::invalid_value;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return write_context(driver, of.attributes.device, out);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return write(out, memory_type(of.attributes.kind));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      if (of.attributes.device_pointer == nullptr) return Status::invalid_value;
      return write(out, of.attributes.device_pointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (of.attributes.host_pointer == nullptr) return Status::invalid_value;
      return write(out, of.attributes.host_pointer);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return write(out, of.range.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return write(out, of.attributes.kind == MemoryKind::managed ? 1U : 0U);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return write(out, of.attributes.device);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return write(out, of.range.begin);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return write(out, of.range.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return write(out, of.is_mapped());
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return write(out, false);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return write(out, handle_types(driver, of.address));
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return write(out, access_flags(driver, of.address));
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return dlcert::shim::note_limit("cuPointerGetAttribute of a pool", reported);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return dlcert::shim::note_limit("cuPointerGetAttribute of a mapping", mapping_reported);
    default:
      return Status::invalid_value;
  }
}

}  // namespace

extern "C" CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  return run_in_context([&](SimulatedDriver& driver) {
    Address found;
    if (find_address(driver, address, found) != Status::success || !found.is_mapped())
      return static_cast<Status>(CUDA_ERROR_NOT_FOUND);
    if (base != nullptr) *base = found.range.begin;
    if (bytes != nullptr) *bytes = found.range.bytes;
    return Status::success;
  });
}

extern "C" CUresult cuPointerGetAttribute(void* out, CUpointer_attribute attribute,
                                          CUdeviceptr address) {
  return run([&](SimulatedDriver& driver) {
    Address found;
    if (out == nullptr) return Status::invalid_value;
    const Status status = find_address(driver, address, found);
    return status == Status::success ? write_attribute(driver, found, number_of(attribute), out)
                                     : status;
  });
}

namespace {

std::size_t size_of(int attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return sizeof(std::uint64_t);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return sizeof(int);
    default:
      return sizeof(bool);
  }
}

}  // namespace

// Attributes that an address has not are zeros, and no error.
extern "C" CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes,
                                           void** out, CUdeviceptr address) {
  return run([&](SimulatedDriver& driver) {
    Address found;
    if (attributes == nullptr || out == nullptr) return Status::invalid_value;
    const bool known = find_address(driver, address, found) == Status::success;
    for (unsigned int index = 0; index < count; ++index) {
      const int attribute = number_of(attributes[index]);
      const bool has =
          known && write_attribute(driver, found, attribute, out[index]) == Status::success;
      if (!has) std::memset(out[index], 0, size_of(attribute));
    }
    return Status::success;
  });
}
