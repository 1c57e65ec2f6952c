// SPDX-License-Identifier: Apache-2.0
//
// A module with a kernel and a cudart of its own, which counts devices: what nvcc makes unless told
// otherwise.
#include <dlcert/adapter.h>

__global__ void kernel() {}

namespace {

dlcert_status device_count(void*, int64_t* out, dlcert_error*) {
  kernel<<<1, 1>>>();
  *out = 0;
  return DLCERT_OK;
}

}  // namespace

extern "C" DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  static dlcert_devices_group devices{};
  devices.struct_size = sizeof devices;
  devices.device_count = device_count;
  static dlcert_adapter adapter{};
  adapter.struct_size = sizeof adapter;
  adapter.abi_major = DLCERT_ABI_MAJOR;
  adapter.abi_minor = DLCERT_ABI_MINOR;
  adapter.roles = DLCERT_RUNTIME;
  adapter.name = "static_cudart";
  adapter.version = "1";
  adapter.devices = &devices;
  return abi_major == DLCERT_ABI_MAJOR ? &adapter : nullptr;
}
