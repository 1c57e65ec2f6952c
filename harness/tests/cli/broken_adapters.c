/* SPDX-License-Identifier: Apache-2.0 */
/* Adapters that cannot be used, one for each BROKEN_*. */
#include <dlcert/adapter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(BROKEN_NO_SYMBOL)
DLCERT_EXPORT int nothing_to_see(void);
int nothing_to_see(void) {
  return 0;
}
#else

DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major);

#if defined(BROKEN_FUTURE_ABI)
const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  (void)abi_major;
  return NULL;
}
#elif defined(BROKEN_OTHER_ABI)
const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  (void)abi_major;
  static const dlcert_adapter table = {.struct_size = sizeof table,
                                       .abi_major = 99,
                                       .roles = DLCERT_PRODUCER,
                                       .name = "other",
                                       .version = "1"};
  return &table;
}
#elif defined(BROKEN_NO_FUNCTIONS)
const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  (void)abi_major;
  static const dlcert_adapter table = {.struct_size = sizeof table,
                                       .abi_major = DLCERT_ABI_MAJOR,
                                       .roles = DLCERT_PRODUCER,
                                       .name = "empty",
                                       .version = "1"};
  return &table;
}
#elif defined(BROKEN_TALKS)
/* Says why, and is not usable: in the way that DLCERT_BROKEN names. */
static dlcert_status refuse(void* self, const dlcert_host* host, dlcert_error* error) {
  (void)self, (void)host;
  error->kind = DLCERT_ERROR_RUNTIME;
  strcpy(error->message, "no licence");
  return DLCERT_REFUSED;
}
const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  (void)abi_major;
  static const dlcert_devices_group devices = {.struct_size = sizeof devices};
  static const dlcert_adapter table = {.struct_size = sizeof table,
                                       .abi_major = DLCERT_ABI_MAJOR,
                                       .roles = DLCERT_RUNTIME,
                                       .name = "talks",
                                       .version = "1",
                                       .open = refuse,
                                       .devices = &devices};
  const char* const way = getenv("DLCERT_BROKEN");
  printf("licence server:\033[31m no answer\n");
  fprintf(stderr, "see /etc/licence\n");
  if (strcmp(way, "open") == 0) return &table;
  if (strcmp(way, "hang") == 0)
    for (fflush(stdout);;)
      sleep(1);
  return NULL;
}
#elif defined(BROKEN_ABORTS)
const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  (void)abi_major;
  abort();
}
#endif
#endif
