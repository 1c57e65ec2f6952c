/* SPDX-License-Identifier: Apache-2.0 */
/* The plain values of the adapter ABI: status, errors, dtypes, devices, arguments (adapter.h). */
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

/* The result of an adapter's function. */
typedef int32_t dlcert_status;
enum {
  DLCERT_OK = 0,
  /* The library reported an error, and the function filled `error` with it. */
  DLCERT_REFUSED = 1,
  /* The library's interface cannot express this call: its language does not have such a value, or
     its function does not have such a parameter. dlcert counts the case as not formable; the case
     neither passes nor fails. A call that was formed once must stay formable: if the same call
     returns this status later, the case fails. */
  DLCERT_NOT_FORMABLE = 2
};

/* The kind of an error, named after the Python exception that the standards ask for. */
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
  /* A queued call failed when the initialization made it (PyTorch's DeferredCudaCallError). */
  DLCERT_ERROR_DEFERRED = 12,
  /* The vendor's runtime reported the error; `code` is its number. */
  DLCERT_ERROR_DEVICE = 13,
  /* Nobody knows whether the library or its adapter caused the error. dlcert does not judge the
     case, and shows `message`, which must not depend on the values of the case. */
  DLCERT_ERROR_UNASSIGNED = 14
};

/* Capacities in bytes, including the terminating NUL. */
#define DLCERT_ERROR_TYPE_CAPACITY 64
#define DLCERT_ERROR_MESSAGE_CAPACITY 512

/* What an error tells about its cause: the error that it was raised from (Python's __cause__). */
enum {
  DLCERT_CAUSE_NOT_TOLD = 0, /* the library's language has no such link, or nobody looked */
  DLCERT_CAUSE_NONE = 1,
  DLCERT_CAUSE_TOLD = 2 /* in cause_kind and cause_message */
};

/* The error of one call. The caller provides the memory, sets struct_size and sets `cause` to 0. A
   function that returns DLCERT_REFUSED fills the members from `kind` to `message`, and the others
   if it knows the cause. All texts are NUL-terminated; longer texts are cut off. */
typedef struct dlcert_error {
  uint32_t struct_size;
  dlcert_error_kind kind;
  /* The vendor's error number, or 0. */
  int64_t code;
  /* The library's own name of the error type, such as "RuntimeError"; may be empty. */
  char type[DLCERT_ERROR_TYPE_CAPACITY];
  char message[DLCERT_ERROR_MESSAGE_CAPACITY];
  int32_t cause; /* DLCERT_CAUSE_* */
  dlcert_error_kind cause_kind;
  char cause_message[DLCERT_ERROR_MESSAGE_CAPACITY];
} dlcert_error;

/* ---- plain values ---- */

/* A DLDataType. `code` is numbered as in dlpack.h. */
typedef struct dlcert_dtype {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} dlcert_dtype;

/* A DLDevice. `type` is numbered as in dlpack.h. */
typedef struct dlcert_device {
  int32_t type;
  int32_t id;
} dlcert_device;

/* The form of a managed tensor: a DLManagedTensor or a DLManagedTensorVersioned. */
enum { DLCERT_LEGACY = 1, DLCERT_VERSIONED = 2 };

/* A pointer to a managed tensor. Each function that takes or returns one says who owns the
   tensor. */
typedef struct dlcert_managed {
  /* DLCERT_LEGACY or DLCERT_VERSIONED. */
  int32_t form;
  int32_t reserved;
  void* pointer;
} dlcert_managed;

/* The tags of a dlcert_value: the kinds of an argument, and which members hold the argument. */
enum {
  DLCERT_ABSENT = 0, /* the call leaves the argument out */
  DLCERT_NONE = 1,   /* the argument is None or null */
  DLCERT_BOOL = 2,   /* first: 0 or 1 */
  DLCERT_INT = 3,    /* first */
  DLCERT_PAIR = 4,   /* first, second: a version or a device */
  DLCERT_FLOAT = 5,  /* number */
  DLCERT_TEXT = 6,   /* text, valid during the call */
  DLCERT_GUARD = 7,  /* first: an index, of which the adapter makes a guard (torch.cuda.device) */
  DLCERT_OBJECT =
      8 /* text: a Python expression for the argument, or the repr() of what a library passed */
};

/* An argument of a protocol call. An absent argument and None are different calls. A value of a
   wrong type is a legal argument: the library then refuses it, or the call is DLCERT_NOT_FORMABLE
   if the library's language does not have such a value. Members that the tag does not name have no
   meaning. */
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
