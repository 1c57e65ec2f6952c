/* SPDX-License-Identifier: Apache-2.0 */
/* What crosses the adapter ABI by value (adapter.h). */
#ifndef DLCERT_ADAPTER_VALUES_H_
#define DLCERT_ADAPTER_VALUES_H_

#include <stdint.h>

#if defined(_WIN32)
#define DLCERT_EXPORT __declspec(dllexport)
#else
#define DLCERT_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status and errors ---- */

/* What a function of an adapter returns. */
typedef int32_t dlcert_status;
enum {
  DLCERT_OK = 0,
  /* The library reported an error; `error` says which. */
  DLCERT_REFUSED = 1,
  /* The library's interface cannot form this request (its language has no such value, or it has no
     such parameter). The case is not applicable: it is counted and shown, and neither passes nor
     fails. What was formed once can be formed again: the same call must not give this later. */
  DLCERT_NOT_FORMABLE = 2
};

/* What went wrong, by the Python exception that the standards name for it. */
typedef int32_t dlcert_error_kind;
enum {
  DLCERT_ERROR_OTHER = 0,
  DLCERT_ERROR_BUFFER = 1,
  DLCERT_ERROR_VALUE = 2,
  DLCERT_ERROR_TYPE = 3,
  DLCERT_ERROR_RUNTIME = 4,
  DLCERT_ERROR_ATTRIBUTE = 5,
  DLCERT_ERROR_ASSERTION = 6,
  DLCERT_ERROR_INDEX = 7,
  DLCERT_ERROR_OS = 8,
  DLCERT_ERROR_MEMORY = 9,
  DLCERT_ERROR_NOT_IMPLEMENTED = 10,
  DLCERT_ERROR_MODULE_NOT_FOUND = 11,
  /* A call that waited for initialization failed then (torch's DeferredCudaCallError). */
  DLCERT_ERROR_DEFERRED = 12,
  /* The vendor's runtime reported it; `code` is its number. */
  DLCERT_ERROR_DEVICE = 13
};

/* Bytes, the terminating NUL included. */
#define DLCERT_ERROR_TYPE_CAPACITY 64
#define DLCERT_ERROR_MESSAGE_CAPACITY 512

/* The error of one call: the caller's memory, with struct_size set; the function that refuses fills
   all other members. Both texts are NUL-terminated, and cut off where they are longer. */
typedef struct dlcert_error {
  uint32_t struct_size;
  dlcert_error_kind kind;
  /* The vendor's number, or 0. */
  int64_t code;
  /* The library's own name of the error type, such as "RuntimeError"; may be empty. */
  char type[DLCERT_ERROR_TYPE_CAPACITY];
  char message[DLCERT_ERROR_MESSAGE_CAPACITY];
} dlcert_error;

/* ---- plain values ---- */

/* A DLDataType, its code numbered as in dlpack.h. */
typedef struct dlcert_dtype {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} dlcert_dtype;

/* A DLDevice, its type numbered as in dlpack.h. */
typedef struct dlcert_device {
  int32_t type;
  int32_t id;
} dlcert_device;

/* The form of a managed tensor: a DLManagedTensor or a DLManagedTensorVersioned. */
enum { DLCERT_LEGACY = 1, DLCERT_VERSIONED = 2 };

/* A pointer to a managed tensor. Who owns the tensor is said where one crosses. */
typedef struct dlcert_managed {
  /* DLCERT_LEGACY or DLCERT_VERSIONED. */
  int32_t form;
  int32_t reserved;
  void* pointer;
} dlcert_managed;

/* The kinds of an argument, and the members of dlcert_value that hold it. */
enum {
  DLCERT_ABSENT = 0, /* the argument is not given at all */
  DLCERT_NONE = 1,   /* it is given as None or null */
  DLCERT_BOOL = 2,   /* first: 0 or 1 */
  DLCERT_INT = 3,    /* first */
  DLCERT_PAIR = 4,   /* first, second: a version or a device */
  DLCERT_FLOAT = 5,  /* number */
  DLCERT_TEXT = 6,   /* text, valid during the call */
  DLCERT_GUARD = 7,  /* first: an index, of which the adapter makes a guard (torch.cuda.device) */
  DLCERT_OBJECT =
      8 /* text: a Python expression that makes it; of what a library passes, its repr() */
};

/* An argument of a protocol call. Absent and None differ. A value of a wrong type is a legal thing
   to pass: the library then refuses, or the call is DLCERT_NOT_FORMABLE where its language has no
   such value. Members that the kind does not name have no meaning. */
typedef struct dlcert_value {
  /* DLCERT_ABSENT ... DLCERT_OBJECT. */
  int32_t tag;
  int32_t reserved;
  int64_t first;
  int64_t second;
  double number;
  const char* text;
} dlcert_value;

#ifdef __cplusplus
}
#endif

#endif /* DLCERT_ADAPTER_VALUES_H_ */
