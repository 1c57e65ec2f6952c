// SPDX-License-Identifier: Apache-2.0
//
// A module with a kernel and a cudart of its own: what nvcc makes unless told otherwise.
#include <dlcert/adapter.h>

__global__ void kernel() {}

extern "C" DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t) {
  kernel<<<1, 1>>>();
  return nullptr;
}
