/* SPDX-License-Identifier: Apache-2.0 */
/* The C example under other names, one for each CLASH_*: the process has a registry, in its
 * environment, in which one enters itself when it is loaded; another one aborts where it finds an
 * entry, and a third one waits for its end. */
#define _POSIX_C_SOURCE 200809L
#include <dlcert/adapter.h>
#include <stdlib.h>
#include <unistd.h>

const dlcert_adapter* narray_adapter_get(uint32_t abi_major);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major);

static const char* const registry = "DLCERT_TEST_REGISTRY";

#if defined(CLASH_REGISTERS)
static const char* const name = "registers";
static void meet(void) {
  setenv(registry, name, 1);
}
#elif defined(CLASH_ABORTS)
static const char* const name = "aborts";
static void meet(void) {
  if (getenv(registry) != NULL) abort();
}
#elif defined(CLASH_HANGS)
static const char* const name = "hangs";
static void meet(void) {
  while (getenv(registry) != NULL)
    sleep(1);
}
#endif

__attribute__((constructor)) static void loaded(void) {
  meet();
}

const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  static dlcert_adapter table;
  const dlcert_adapter* const example = narray_adapter_get(abi_major);
  if (example == NULL) return NULL;
  table = *example;
  table.name = name;
  return &table;
}
