/* SPDX-License-Identifier: Apache-2.0 */
/* The C example with one fault, by ENDS_*: its imports crash, or its exports hang. */
#define _POSIX_C_SOURCE 200809L
#include <dlcert/adapter.h>
#include <stdlib.h>
#include <unistd.h>

const dlcert_adapter* narray_adapter_get(uint32_t abi_major);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major);

#if defined(ENDS_CRASHES)
static const char* const name = "crashes";
static dlcert_status end_import(void* self, dlcert_managed managed, dlcert_tensor** out,
                                dlcert_error* error) {
  (void)self, (void)managed, (void)out, (void)error;
  abort();
}
static void spoil(dlcert_exchange_group* exchange) {
  exchange->import_managed = end_import;
}
#else
static const char* const name = "hangs";
static dlcert_status end_export(void* self, dlcert_tensor* tensor, const dlcert_request* request,
                                dlcert_managed* out, dlcert_error* error) {
  (void)self, (void)tensor, (void)request, (void)out, (void)error;
  while (name != NULL)
    sleep(1);
  return DLCERT_OK;
}
static void spoil(dlcert_exchange_group* exchange) {
  exchange->export_managed = end_export;
}
#endif

const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  static dlcert_exchange_group exchange;
  static dlcert_adapter table;
  const dlcert_adapter* const example = narray_adapter_get(abi_major);
  if (example == NULL) return NULL;
  exchange = *example->exchange;
  spoil(&exchange);
  table = *example;
  table.name = name;
  table.exchange = &exchange;
  return &table;
}
