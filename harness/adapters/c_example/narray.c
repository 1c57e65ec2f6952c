/* SPDX-License-Identifier: Apache-2.0 */
#include "narray.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct narray {
  atomic_int references;
  DLDataType dtype;
  int32_t ndim;
  int64_t shape[NARRAY_MAX_RANK];
  int64_t strides[NARRAY_MAX_RANK];
  int64_t bytes;
  void* data;
  void* owned;             /* what to free, for arrays of our own */
  DLManagedTensor* legacy; /* what to give back, for imported ones */
  DLManagedTensorVersioned* versioned;
};

const char narray_foreign_major[] = "the tensor's DLPack major version is not 1";
static atomic_llong live;

static void* counted_malloc(size_t size) {
  void* made = malloc(size);
  if (made != NULL) atomic_fetch_add(&live, 1);
  return made;
}

static void counted_free(void* pointer) {
  atomic_fetch_sub(&live, 1);
  free(pointer);
}

int64_t narray_live(void) {
  return atomic_load(&live);
}

int narray_supports(DLDataType dtype) {
  if (dtype.lanes != 1) return 0;
  switch (dtype.code) {
    case kDLInt:
    case kDLUInt:
      return dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
    case kDLFloat:
      return dtype.bits == 32 || dtype.bits == 64;
    case kDLBool:
      return dtype.bits == 8;
    default:
      return 0;
  }
}

/* An array without data; checks everything that its size depends on. */
static narray* new_header(DLDataType dtype, int32_t ndim, const int64_t* shape, const char** why) {
  if (!narray_supports(dtype)) {
    *why = "the element type is not supported";
    return NULL;
  }
  if (ndim < 0 || ndim > NARRAY_MAX_RANK) {
    *why = "the rank is not between 0 and 8";
    return NULL;
  }
  if (ndim > 0 && shape == NULL) {
    *why = "the shape is null";
    return NULL;
  }
  int64_t bytes = dtype.bits / 8;
  for (int32_t axis = 0; axis < ndim; ++axis) {
    if (shape[axis] < 0) {
      *why = "an extent is negative";
      return NULL;
    }
    if (__builtin_mul_overflow(bytes, shape[axis], &bytes)) {
      *why = "the array's size overflows";
      return NULL;
    }
  }
  narray* array = counted_malloc(sizeof *array);
  if (array == NULL) {
    *why = "out of memory";
    return NULL;
  }
  *array = (narray){.references = 1, .dtype = dtype, .ndim = ndim, .bytes = bytes};
  int64_t stride = 1;
  for (int32_t axis = ndim; axis-- > 0;) {
    array->shape[axis] = shape[axis];
    array->strides[axis] = stride;
    stride *= shape[axis] == 0 ? 1 : shape[axis];
  }
  return array;
}

narray* narray_new(DLDataType dtype, int32_t ndim, const int64_t* shape, const char** why) {
  narray* array = new_header(dtype, ndim, shape, why);
  if (array == NULL || array->bytes == 0) return array;
  array->owned = array->data = counted_malloc((size_t)array->bytes);
  if (array->data != NULL) return array;
  *why = "out of memory";
  counted_free(array);
  return NULL;
}

narray* narray_share(narray* array) {
  atomic_fetch_add(&array->references, 1);
  return array;
}

void narray_drop(narray* array) {
  if (array == NULL || atomic_fetch_sub(&array->references, 1) != 1) return;
  if (array->owned != NULL) counted_free(array->owned);
  if (array->legacy != NULL && array->legacy->deleter != NULL)
    array->legacy->deleter(array->legacy);
  if (array->versioned != NULL && array->versioned->deleter != NULL)
    array->versioned->deleter(array->versioned);
  counted_free(array);
}

DLDataType narray_dtype(const narray* array) {
  return array->dtype;
}
int32_t narray_ndim(const narray* array) {
  return array->ndim;
}
const int64_t* narray_shape(const narray* array) {
  return array->shape;
}
const int64_t* narray_strides(const narray* array) {
  return array->strides;
}
void* narray_data(const narray* array) {
  return array->data;
}
int64_t narray_bytes(const narray* array) {
  return array->bytes;
}

static DLTensor describe(narray* array) {
  return (DLTensor){
      .data = array->bytes == 0 ? NULL : array->data,
      .device = {kDLCPU, 0},
      .ndim = array->ndim,
      .dtype = array->dtype,
      .shape = array->ndim == 0 ? NULL : array->shape,
      .strides = array->ndim == 0 ? NULL : array->strides,
  };
}

static void delete_legacy(DLManagedTensor* self) {
  narray_drop(self->manager_ctx);
  counted_free(self);
}

static void delete_versioned(DLManagedTensorVersioned* self) {
  narray_drop(self->manager_ctx);
  counted_free(self);
}

DLManagedTensor* narray_to_dlpack(narray* array, const char** why) {
  DLManagedTensor* managed = counted_malloc(sizeof *managed);
  if (managed == NULL) {
    *why = "out of memory";
    return NULL;
  }
  *managed = (DLManagedTensor){describe(array), narray_share(array), delete_legacy};
  return managed;
}

DLManagedTensorVersioned* narray_to_dlpack_versioned(narray* array, const char** why) {
  DLManagedTensorVersioned* managed = counted_malloc(sizeof *managed);
  if (managed == NULL) {
    *why = "out of memory";
    return NULL;
  }
  *managed = (DLManagedTensorVersioned){
      .version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION},
      .manager_ctx = narray_share(array),
      .deleter = delete_versioned,
      .dl_tensor = describe(array),
  };
  return managed;
}

static int compact(const DLTensor* tensor) {
  int64_t expected = 1;
  if (tensor->strides == NULL) return 1;
  for (int32_t axis = tensor->ndim; axis-- > 0;) {
    if (tensor->shape[axis] > 1 && tensor->strides[axis] != expected) return 0;
    expected *= tensor->shape[axis];
  }
  return 1;
}

static narray* import(const DLTensor* tensor, const char** why) {
  if (tensor->device.device_type != kDLCPU) {
    *why = "the device is not the CPU";
    return NULL;
  }
  narray* array = new_header(tensor->dtype, tensor->ndim, tensor->shape, why);
  if (array == NULL) return NULL;
  if (array->bytes != 0 && !compact(tensor))
    *why = "the strides are not compact";
  else if (array->bytes != 0 && tensor->data == NULL)
    *why = "the data is null";
  else {
    if (tensor->data != NULL) array->data = (char*)tensor->data + tensor->byte_offset;
    return array;
  }
  counted_free(array);
  return NULL;
}

narray* narray_from_dlpack(DLManagedTensor* managed, const char** why) {
  narray* array = import(&managed->dl_tensor, why);
  if (array != NULL) array->legacy = managed;
  return array;
}

narray* narray_from_dlpack_versioned(DLManagedTensorVersioned* managed, const char** why) {
  if (managed->version.major != DLPACK_MAJOR_VERSION) {
    if (managed->deleter != NULL) managed->deleter(managed);
    *why = narray_foreign_major;
    return NULL;
  }
  if ((managed->flags & ~(uint64_t)DLPACK_FLAG_BITMASK_IS_COPIED) != 0) {
    *why = "the tensor is read-only or has flags that are not known";
    return NULL;
  }
  narray* array = import(&managed->dl_tensor, why);
  if (array != NULL) array->versioned = managed;
  return array;
}
