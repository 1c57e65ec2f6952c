// SPDX-License-Identifier: Apache-2.0
//
// What HIP says of devices in functions of their own.

#include <cstdio>

#include "shims/hip/hip_shim.hpp"
#include "shims/common/entry_points.inc"

namespace {

// `body(const DeviceProperties&)` with what the driver says of the device.
template <class Body>
hipError_t with_properties(hipDevice_t device, bool valid, Body&& body) {
  return run([&](SimulatedDriver& driver) {
    if (!valid) return Status::invalid_value;
    dlcert::driver::DeviceProperties found;
    const Status status = driver.properties(device, found);
    if (status == Status::success) body(found);
    return status;
  });
}

}  // namespace

extern "C" hipError_t hipInit(unsigned int flags) {
  return run([&](SimulatedDriver& driver) {
    int count = 0;
    return flags == 0 ? driver.device_count(count) : Status::invalid_value;
  });
}

extern "C" hipError_t hipDeviceGet(hipDevice_t* out, int ordinal) {
  return with_properties(ordinal, out != nullptr, [&](const auto&) { *out = ordinal; });
}

extern "C" hipError_t hipDeviceGetName(char* out, int length, hipDevice_t device) {
  return with_properties(device, out != nullptr && length > 0, [&](const auto& found) {
    static_cast<void>(
        std::snprintf(out, static_cast<std::size_t>(length), "%s", found.name.c_str()));
  });
}

extern "C" hipError_t hipDeviceGetUuid(hipUUID* out, hipDevice_t device) {
  return with_properties(device, out != nullptr, [&](const auto& found) {
    static_assert(sizeof out->bytes == sizeof found.uuid);
    std::memcpy(out->bytes, found.uuid.data(), sizeof out->bytes);
  });
}

extern "C" hipError_t hipDeviceTotalMem(size_t* out, hipDevice_t device) {
  return with_properties(device, out != nullptr,
                         [&](const auto& found) { *out = found.total_memory; });
}

extern "C" hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
  return with_properties(device, major != nullptr && minor != nullptr, [&](const auto& found) {
    *major = found.major;
    *minor = found.minor;
  });
}

extern "C" hipError_t hipDeviceReset() {
  return run([](SimulatedDriver& driver) { return driver.reset_device(); });
}
