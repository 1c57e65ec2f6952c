/* SPDX-License-Identifier: Apache-2.0 */
/* The adapter of a C library, written against the C header alone. */
#include <dlcert/adapter.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "narray.h"

#include <dlcert/dlpack_facts.h>

/* dlcert's handle and the library's are the same pointer. */
static narray* array_of(dlcert_tensor* tensor) {
  return (narray*)tensor;
}
static DLDataType dtype_of(dlcert_dtype dtype) {
  return (DLDataType){dtype.code, dtype.bits, dtype.lanes};
}

static dlcert_status refuse(dlcert_error* error, dlcert_error_kind kind, const char* why) {
  error->kind = kind;
  error->code = 0;
  error->type[0] = '\0';
  snprintf(error->message, sizeof error->message, "%s", why);
  return DLCERT_REFUSED;
}

static int32_t can(void* self, const dlcert_tensor_spec* spec) {
  (void)self;
  if (spec->state != DLCERT_STATE_PLAIN || spec->flags != 0 || spec->offset != 0) return 0;
  if (spec->device.type != kDLCPU || spec->device.id != 0) return 0;
  if (spec->ndim > NARRAY_MAX_RANK || !narray_supports(dtype_of(spec->dtype))) return 0;
  int64_t expected = 1;
  for (int32_t axis = spec->ndim; axis-- > 0;) {
    const int64_t extent = spec->shape[axis] == 0 ? 1 : spec->shape[axis];
    if (spec->strides[axis] != expected || expected > INT64_MAX / extent) return 0;
    expected *= extent;
  }
  return 1;
}

static dlcert_status create(void* self, const dlcert_tensor_spec* spec, const void* bytes,
                            uint64_t size, dlcert_tensor** out, dlcert_error* error) {
  (void)self;
  const char* why = NULL;
  narray* array = narray_new(dtype_of(spec->dtype), spec->ndim, spec->shape, &why);
  if (array == NULL) return refuse(error, DLCERT_ERROR_VALUE, why);
  if (size != 0) memcpy(narray_data(array), bytes, size);
  *out = (dlcert_tensor*)array;
  return DLCERT_OK;
}

static dlcert_status describe(void* self, dlcert_tensor* tensor, dlcert_description* out,
                              dlcert_error* error) {
  (void)self;
  (void)error;
  const narray* array = array_of(tensor);
  const DLDataType dtype = narray_dtype(array);
  out->flags = 0;
  out->dtype = (dlcert_dtype){dtype.code, dtype.bits, dtype.lanes};
  out->device = (dlcert_device){kDLCPU, 0};
  out->ndim = narray_ndim(array);
  out->shape = narray_shape(array);
  out->strides = narray_strides(array);
  out->data = narray_data(array);
  out->storage_begin = narray_data(array);
  out->storage_bytes = (uint64_t)narray_bytes(array);
  return DLCERT_OK;
}

static dlcert_status read_all(void* self, dlcert_tensor* tensor, void* bytes, uint64_t size,
                              dlcert_error* error) {
  (void)self;
  (void)error;
  if (size != 0) memcpy(bytes, narray_data(array_of(tensor)), size);
  return DLCERT_OK;
}

static dlcert_status write_all(void* self, dlcert_tensor* tensor, const void* bytes, uint64_t size,
                               dlcert_error* error) {
  (void)self;
  (void)error;
  if (size != 0) memcpy(narray_data(array_of(tensor)), bytes, size);
  return DLCERT_OK;
}

static void release(void* self, dlcert_tensor* tensor) {
  (void)self;
  narray_drop(array_of(tensor));
}

static dlcert_status alias(void* self, dlcert_tensor* tensor, dlcert_tensor** out,
                           dlcert_error* error) {
  (void)self;
  (void)error;
  *out = (dlcert_tensor*)narray_share(array_of(tensor));
  return DLCERT_OK;
}

static int64_t live_allocations(void* self) {
  (void)self;
  return narray_live();
}

static dlcert_status export_managed(void* self, dlcert_tensor* tensor,
                                    const dlcert_request* request, dlcert_managed* out,
                                    dlcert_error* error) {
  (void)self;
  /* The library's functions have no parameters: only the form can be chosen. */
  if (request->stream.tag > DLCERT_NONE || request->dl_device.tag > DLCERT_NONE ||
      request->copy.tag > DLCERT_NONE)
    return DLCERT_NOT_FORMABLE;
  const char* why = NULL;
  const int versioned = request->max_version.tag == DLCERT_PAIR && request->max_version.first >= 1;
  void* managed = versioned ? (void*)narray_to_dlpack_versioned(array_of(tensor), &why)
                            : (void*)narray_to_dlpack(array_of(tensor), &why);
  if (managed == NULL) return refuse(error, DLCERT_ERROR_MEMORY, why);
  *out = (dlcert_managed){versioned ? DLCERT_VERSIONED : DLCERT_LEGACY, 0, managed};
  return DLCERT_OK;
}

static dlcert_status import_managed(void* self, dlcert_managed managed, dlcert_tensor** out,
                                    dlcert_error* error) {
  (void)self;
  const char* why = NULL;
  narray* array = managed.form == DLCERT_VERSIONED
                      ? narray_from_dlpack_versioned(managed.pointer, &why)
                      : narray_from_dlpack(managed.pointer, &why);
  if (array == NULL) return refuse(error, DLCERT_ERROR_BUFFER, why);
  *out = (dlcert_tensor*)array;
  return DLCERT_OK;
}

DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major) {
  static dlcert_dlpack_facts facts;
  static const dlcert_tensor_group tensor = {
      .struct_size = sizeof tensor,
      .can = can,
      .create = create,
      .describe = describe,
      .read = read_all,
      .write = write_all,
      .release = release,
      .alias = alias,
      .live_allocations = live_allocations,
  };
  static const dlcert_exchange_group exchange = {
      .struct_size = sizeof exchange,
      .export_managed = export_managed,
      .import_managed = import_managed,
  };
  static const dlcert_adapter adapter = {
      .struct_size = sizeof adapter,
      .abi_major = DLCERT_ABI_MAJOR,
      .abi_minor = DLCERT_ABI_MINOR,
      .roles = DLCERT_PRODUCER | DLCERT_CONSUMER,
      .name = "narray",
      .version = NARRAY_VERSION,
      .tensor = &tensor,
      .exchange = &exchange,
      .c_facts = &facts,
  };
  dlcert_fill_dlpack_facts(&facts);
  return abi_major == DLCERT_ABI_MAJOR ? &adapter : NULL;
}
