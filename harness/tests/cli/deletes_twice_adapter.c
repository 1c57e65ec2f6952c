/* SPDX-License-Identifier: Apache-2.0 */
/* The C example with one fault: its imports call the deleter twice. */
#include <dlcert/adapter.h>
#include <dlpack/dlpack.h>
#include <stdlib.h>

const dlcert_adapter* narray_adapter_get(uint32_t abi_major);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major);

static const dlcert_adapter* example;

/* What the example gets in the place of a managed tensor. */
typedef struct {
  DLManagedTensorVersioned shell;
  DLManagedTensorVersioned* managed;
} Wrapped;

static void delete_twice(DLManagedTensorVersioned* shell) {
  Wrapped* const wrapped = (Wrapped*)shell;
  void (*const deleter)(DLManagedTensorVersioned*) = wrapped->managed->deleter;
  deleter(wrapped->managed);
  deleter(wrapped->managed);
  free(wrapped);
}

static dlcert_status import_wrapped(void* self, dlcert_managed managed, dlcert_tensor** out,
                                    dlcert_error* error) {
  DLManagedTensorVersioned* const versioned = managed.pointer;
  if (managed.form != DLCERT_VERSIONED || versioned->version.major != DLPACK_MAJOR_VERSION ||
      versioned->deleter == NULL)
    return example->exchange->import_managed(self, managed, out, error);
  Wrapped* const wrapped = malloc(sizeof *wrapped);
  if (wrapped == NULL) abort();
  wrapped->shell = *versioned;
  wrapped->shell.deleter = delete_twice;
  wrapped->managed = versioned;
  managed.pointer = &wrapped->shell;
  const dlcert_status status = example->exchange->import_managed(self, managed, out, error);
  if (status != DLCERT_OK) free(wrapped);
  return status;
}

const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  static dlcert_exchange_group exchange;
  static dlcert_adapter table;
  example = narray_adapter_get(abi_major);
  if (example == NULL) return NULL;
  exchange = *example->exchange;
  exchange.import_managed = import_wrapped;
  table = *example;
  table.name = "deletes_twice";
  table.exchange = &exchange;
  return &table;
}
