/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small C library of reference-counted, compact CPU arrays that speaks DLPack in both forms. It
 * stands for the library of a C author; adapter.c shows it to dlcert.
 */
#ifndef NARRAY_H_
#define NARRAY_H_

#include <dlpack/dlpack.h>
#include <stdint.h>

#define NARRAY_MAX_RANK 8
#define NARRAY_VERSION "0.3"

typedef struct narray narray;

/* Every function that can fail returns NULL and names the reason in *why (static text). */

narray* narray_new(DLDataType dtype, int32_t ndim, const int64_t* shape, const char** why);
void narray_drop(narray* array);     /* gives up one reference; NULL is allowed */
narray* narray_share(narray* array); /* one more reference */

int narray_supports(DLDataType dtype);
DLDataType narray_dtype(const narray* array);
int32_t narray_ndim(const narray* array);
const int64_t* narray_shape(const narray* array);
const int64_t* narray_strides(const narray* array); /* in elements */
void* narray_data(const narray* array);
int64_t narray_bytes(const narray* array);
int64_t narray_live(void); /* arrays and exports that are alive */

/* The caller owns the result and releases it by its deleter. */
DLManagedTensor* narray_to_dlpack(narray* array, const char** why);
DLManagedTensorVersioned* narray_to_dlpack_versioned(narray* array, const char** why);

/* Own the tensor when they succeed, and leave it to the caller when they fail; of a foreign major
   version the deleter has been called and *why is narray_foreign_major. */
narray* narray_from_dlpack(DLManagedTensor* managed, const char** why);
narray* narray_from_dlpack_versioned(DLManagedTensorVersioned* managed, const char** why);
extern const char narray_foreign_major[];

#endif /* NARRAY_H_ */
