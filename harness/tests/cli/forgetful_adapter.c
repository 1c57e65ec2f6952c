/* SPDX-License-Identifier: Apache-2.0 */
/* The C example with one fault: its imports never call the deleter. */
#include <dlcert/adapter.h>
#include <dlpack/dlpack.h>

const dlcert_adapter* narray_adapter_get(uint32_t abi_major);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major);

static const dlcert_adapter* example;

static void forget(DLManagedTensorVersioned* managed) {
  (void)managed;
}

static dlcert_status import_and_forget(void* self, dlcert_managed managed, dlcert_tensor** out,
                                       dlcert_error* error) {
  DLManagedTensorVersioned* const versioned = managed.pointer;
  if (managed.form != DLCERT_VERSIONED || versioned->version.major != DLPACK_MAJOR_VERSION)
    return example->exchange->import_managed(self, managed, out, error);
  void (*const deleter)(DLManagedTensorVersioned*) = versioned->deleter;
  versioned->deleter = forget;
  const dlcert_status status = example->exchange->import_managed(self, managed, out, error);
  if (status != DLCERT_OK) versioned->deleter = deleter;
  return status;
}

const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  static dlcert_exchange_group exchange;
  static dlcert_adapter table;
  example = narray_adapter_get(abi_major);
  if (example == NULL) return NULL;
  exchange = *example->exchange;
  exchange.import_managed = import_and_forget;
  table = *example;
  table.name = "forgetful";
  table.exchange = &exchange;
  return &table;
}
