/* SPDX-License-Identifier: Apache-2.0
 *
 * opens FUNCTION FILE: opens a library of CUDA and prints how many devices its FUNCTION tells. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* const library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*initialise)(unsigned int) = NULL;
  int (*count_devices)(int*) = NULL;
  *(void**)&initialise = dlsym(library, "cuInit");
  *(void**)&count_devices = dlsym(library, argv[1]);
  if (count_devices == NULL) return 1;
  if (strcmp(argv[1], "cuDeviceGetCount") == 0 && initialise != NULL && initialise(0) != 0)
    return 1;
  int count = -1;
  const int status = count_devices(&count);
  printf("%d devices\n", count);
  return status;
}
