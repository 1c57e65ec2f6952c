// SPDX-License-Identifier: Apache-2.0
//
// Devices, and what they say of themselves.

#include <algorithm>
#include <cstdio>
#include <string>

#include "shims/common/device_limits.hpp"
#include "shims/cuda_driver/driver_attributes.hpp"
#include "shims/cuda_driver/driver_older_forms.hpp"
#include "shims/cuda_driver/driver_shim.hpp"

namespace {

using dlcert::driver::DeviceProperties;

// `body(const DeviceProperties&)` of a device.
template <class Body>
CUresult run_on(CUdevice device, Body&& body) {
  return run([&](SimulatedDriver& driver) {
    DeviceProperties found;
    const Status status = driver.properties(device, found);
    return status == Status::success ? body(found) : status;
  });
}

// As much of the text as there is room for, and its end.
Status write_text(const std::string& text, char* out, int length) {
  if (out == nullptr || length <= 0) return Status::invalid_value;
  static_cast<void>(std::snprintf(out, static_cast<std::size_t>(length), "%s", text.c_str()));
  return Status::success;
}

template <class Value, class Found>
Status write(Value* out, const Found& found) {
  if (out == nullptr) return Status::invalid_value;
  *out = static_cast<Value>(found);
  return Status::success;
}

}  // namespace

extern "C" CUresult cuDeviceGetCount(int* out) {
  return run_for<int>(out, [](SimulatedDriver& driver, int& count) {
    const Status status = driver.device_count(count);
    return status == Status::no_device ? Status::success : status;
  });
}

extern "C" CUresult cuDeviceGet(CUdevice* out, int ordinal) {
  return run_on(ordinal, [&](const DeviceProperties&) { return write(out, ordinal); });
}

extern "C" CUresult cuDeviceGetName(char* out, int length, CUdevice device) {
  return run_on(device,
                [&](const DeviceProperties& of) { return write_text(of.name, out, length); });
}

extern "C" CUresult cuDeviceGetUuid_v2(CUuuid* out, CUdevice device) {
  return run_on(device, [&](const DeviceProperties& of) {
    if (out == nullptr) return Status::invalid_value;
    std::memcpy(out->bytes, of.uuid.data(), sizeof out->bytes);
    return Status::success;
  });
}

extern "C" CUresult cuDeviceGetUuid(CUuuid* out, CUdevice device) {
  return cuDeviceGetUuid_v2(out, device);
}

extern "C" CUresult cuDeviceTotalMem(size_t* out, CUdevice device) {
  return run_on(device, [&](const DeviceProperties& of) { return write(out, of.total_memory); });
}

extern "C" CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return run_on(device, [&](const DeviceProperties& of) {
    const Status status = write(major, of.major);
    return status == Status::success ? write(minor, of.minor) : status;
  });
}

extern "C" CUresult cuDeviceGetPCIBusId(char* out, int length, CUdevice device) {
  return run_on(device,
                [&](const DeviceProperties& of) { return write_text(of.pci_bus_id, out, length); });
}

extern "C" CUresult cuDeviceGetByPCIBusId(CUdevice* out, const char* text) {
  return run_for<int>(out, [&](SimulatedDriver& driver, int& device) {
    if (text == nullptr) return Status::invalid_value;
    std::string wanted{text};
    std::ranges::transform(wanted, wanted.begin(), [](unsigned char letter) {
      return static_cast<char>(letter >= 'A' && letter <= 'F' ? letter - 'A' + 'a' : letter);
    });
    int count = 0;
    const Status status = driver.device_count(count);
    if (status != Status::success) return status;
    for (device = 0; device < count; ++device) {
      DeviceProperties found;
      const Status answer = driver.properties(device, found);
      if (answer != Status::success || found.pci_bus_id == wanted) return answer;
    }
    return Status::invalid_value;
  });
}

extern "C" CUresult cuDeviceGetAttribute(int* out, CUdevice_attribute attribute, CUdevice device) {
  return run_on(device, [&](const DeviceProperties& of) {
    int found = 0;
    if (out == nullptr || !dlcert::shim::find_attribute(of, number_of(attribute), found))
      return Status::invalid_value;
    *out = found;
    return Status::success;
  });
}

// ---- between devices ----------------------------------------------------------------------------

extern "C" CUresult cuDeviceCanAccessPeer(int* out, CUdevice device, CUdevice peer) {
  return run_for<bool>(out, [&](SimulatedDriver& driver, bool& can) {
    return driver.can_access_peer(device, peer, can);
  });
}

extern "C" CUresult cuDeviceGetP2PAttribute(int* out, CUdevice_P2PAttribute attribute,
                                            CUdevice from, CUdevice to) {
  return run_for<int>(out, [&](SimulatedDriver& driver, int& value) {
    bool can = false;
    const Status status = driver.can_access_peer(from, to, can);
    if (status != Status::success) return status;
    if (from == to) return Status::invalid_device;
    switch (number_of(attribute)) {
      case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
      case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
      case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        value = can ? 1 : 0;
        return Status::success;
      case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
      case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
        return Status::success;
      default:
        return Status::invalid_value;
    }
  });
}
