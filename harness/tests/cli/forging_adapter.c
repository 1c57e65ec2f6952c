/* SPDX-License-Identifier: Apache-2.0 */
/* The C example with a name and a version that would write a verdict, and paint over what stands
 * there. */
#include <dlcert/adapter.h>

const dlcert_adapter* narray_adapter_get(uint32_t abi_major);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major);

const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  static dlcert_adapter table;
  const dlcert_adapter* const example = narray_adapter_get(abi_major);
  if (example == NULL) return NULL;
  table = *example;
  table.name = "acme\x1b[2J\xe2\x80\xae|<b>\xef\xbf\xbe";
  table.version = "1.0\ncertified: evil 1.0\n# Certified\r";
  return &table;
}
