/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that was linked to the libcudart beside it, by DT_RPATH, and to a library with memory
 * for each thread. */
#include <stdio.h>

extern int cudaGetDeviceCount(int* count);
extern char* memory_of_thread(void);

int main(void) {
  int count = -1;
  memory_of_thread()[0] = 1;
  const int status = cudaGetDeviceCount(&count);
  printf("%d devices\n", count);
  return status;
}
