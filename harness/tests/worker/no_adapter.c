/* SPDX-License-Identifier: Apache-2.0 */
#define DLCERT_ADAPTER_IMPLEMENTATION
#include <dlcert/adapter.h>

#if defined(ANSWERS_NULL)
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  (void)abi_major;
  return NULL;
}
#elif defined(ANSWERS_ABI_MAJOR)
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  static dlcert_adapter table;
  (void)abi_major;
  table.struct_size = sizeof(table);
  table.abi_major = ANSWERS_ABI_MAJOR;
  return &table;
}
#elif defined(BRINGS_A_DRIVER)
DLCERT_EXPORT const char dlcert_driver_world = 2;
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  (void)abi_major;
  return NULL;
}
#elif defined(BRINGS_A_RUNTIME)
DLCERT_EXPORT int cudaOfLongAgo(void);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  (void)abi_major;
  (void)cudaOfLongAgo();
  return NULL;
}
#elif defined(IS_A_RUNTIME)
DLCERT_EXPORT int cudaOfLongAgo(void);
int cudaOfLongAgo(void) {
  return 0;
}
#else
DLCERT_EXPORT int something_else(void);
int something_else(void) {
  return 0;
}
#endif
