/* SPDX-License-Identifier: Apache-2.0 */
/* Adapters that cannot be used, one for each BROKEN_*. */
#include <dlcert/adapter.h>
#include <stdlib.h>

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
#elif defined(BROKEN_ABORTS)
const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  (void)abi_major;
  abort();
}
#endif
#endif
