/* Definitions that the recorded counterexamples in this folder share. Needs only C11. */
#ifndef DLCERT_RECORDED_H
#define DLCERT_RECORDED_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- DLPack: the structs of dlpack.h 1.3, unless that is included first ---- */

#ifndef DLPACK_DLPACK_H_
typedef enum { kDLCPU = 1, kDLCUDA = 2 } DLDeviceType; /* and more */

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)
#endif

#define LIST(...) ((const int64_t[]){__VA_ARGS__})

/* ---- Conditions on a struct that a library handed over ---- */

/* A pointer that was not NULL. Its target is not recorded. */
#define NOT_RECORDED ((void*)1)

/* 0 if the condition holds, else 1: the exit code. */
#define MUST(...) must((__VA_ARGS__) != 0, #__VA_ARGS__)

static inline int must(int holds, const char* condition) {
  printf("%s: %s\n", holds ? "kept" : "broken", condition);
  return holds ? 0 : 1;
}

static inline int is_at_most(DLPackVersion version, uint32_t major, uint32_t minor) {
  return version.major < major || (version.major == major && version.minor <= minor);
}

/* In elements. If strides is NULL, the layout is row-major. */
static inline int64_t stride_of(const DLTensor* tensor, int32_t axis) {
  if (tensor->strides != NULL) return tensor->strides[axis];
  int64_t stride = 1;
  for (int32_t inner = axis + 1; inner < tensor->ndim; ++inner)
    if (tensor->shape[inner] > 1) stride *= tensor->shape[inner];
  return stride;
}

static inline int shape_is(const DLTensor* tensor, int32_t rank, const int64_t* extents) {
  if (tensor->ndim != rank || (rank > 0 && tensor->shape == NULL)) return 0;
  for (int32_t axis = 0; axis < rank; ++axis)
    if (tensor->shape[axis] != extents[axis]) return 0;
  return 1;
}

static inline int has_no_negative_extent(const DLTensor* tensor) {
  for (int32_t axis = 0; axis < tensor->ndim; ++axis)
    if (tensor->shape[axis] < 0) return 0;
  return 1;
}

static inline int64_t bytes_of_element(const DLTensor* tensor) {
  return ((int64_t)tensor->dtype.bits * tensor->dtype.lanes + 7) / 8;
}

static inline int64_t element_count(const DLTensor* tensor) {
  int64_t count = 1;
  for (int32_t axis = 0; axis < tensor->ndim; ++axis)
    count *= tensor->shape[axis];
  return count;
}

/* No element has a byte before `begin` or from `end` on; both in bytes from the first element. */
static inline int reaches_within(const DLTensor* tensor, int64_t begin, int64_t end) {
  int64_t lowest = 0, highest = bytes_of_element(tensor);
  for (int32_t axis = 0; axis < tensor->ndim; ++axis) {
    const int64_t last =
        (tensor->shape[axis] - 1) * stride_of(tensor, axis) * bytes_of_element(tensor);
    if (last < 0) lowest += last;
    if (last > 0) highest += last;
  }
  return begin <= lowest && highest <= end;
}

/* Bit 0 of each byte is the least significant one. `bit` can be negative. */
static inline int bit_at(const unsigned char* base, int64_t bit) {
  const int64_t byte = bit >= 0 ? bit / 8 : -((7 - bit) / 8);
  return base[byte] >> (bit - 8 * byte) & 1;
}

/* The elements in row-major order are equal to `wanted`, with whole bytes for each. */
static inline int elements_are(const DLTensor* tensor, uint64_t flags, const unsigned char* wanted,
                               int64_t size) {
  if (tensor->ndim < 0 || (tensor->ndim > 0 && tensor->shape == NULL)) return 0;
  const int padded = (flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
  const int64_t bits = (int64_t)tensor->dtype.bits * tensor->dtype.lanes;
  const int64_t item = bytes_of_element(tensor);
  const int64_t step = tensor->dtype.bits < 8 && !padded ? bits : 8 * item;
  const int64_t count = element_count(tensor);
  if (!has_no_negative_extent(tensor) || count * item != size) return 0;

  const uintptr_t first = (uintptr_t)tensor->data + (uintptr_t)tensor->byte_offset;
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = 0, rest = i;
    for (int32_t axis = tensor->ndim - 1; axis >= 0; --axis) {
      place += rest % tensor->shape[axis] * stride_of(tensor, axis) * step;
      rest /= tensor->shape[axis];
    }
    for (int64_t bit = 0; bit < bits; ++bit)
      if (bit_at((const unsigned char*)first, place + bit) != bit_at(wanted, 8 * i * item + bit))
        return 0;
  }
  return 1;
}

#endif
