/* SPDX-License-Identifier: Apache-2.0
 *
 * An adapter in front of its library: the adapter in the file library.so beside it. */
#define _GNU_SOURCE
#include <dlcert/adapter.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef const dlcert_adapter* (*get_function)(uint32_t);

DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  Dl_info self;
  char path[4096];
  static const char here = 0;
  if (dladdr(&here, &self) == 0) return NULL;
  const char* const end = strrchr(self.dli_fname, '/');
  snprintf(path, sizeof(path), "%.*s/library.so", (int)(end - self.dli_fname), self.dli_fname);
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return NULL;
  get_function get;
  *(void**)&get = dlsym(library, "dlcert_adapter_get");
  return get(abi_major);
}
