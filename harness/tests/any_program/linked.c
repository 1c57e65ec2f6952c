/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that was linked to the libcudart beside it, by DT_RPATH. */
#include <stdio.h>

extern int cudaGetDeviceCount(int* count);

int main(void) {
  int count = -1;
  const int status = cudaGetDeviceCount(&count);
  printf("%d devices\n", count);
  return status;
}
