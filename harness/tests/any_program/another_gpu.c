/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands for a vendor's libcudart and libcuda that a package or a machine brings: who is not
 * redirected to the drop-ins finds this. */

#define API __attribute__((visibility("default")))
enum { planted_devices = 77 };

API int cudaGetDeviceCount(int* count);
API int cuInit(unsigned int flags);
API int cuDeviceGetCount(int* count);

int cudaGetDeviceCount(int* count) {
  *count = planted_devices;
  return 0;
}

int cuInit(unsigned int flags) {
  (void)flags;
  return 0;
}

int cuDeviceGetCount(int* count) {
  *count = planted_devices;
  return 0;
}
