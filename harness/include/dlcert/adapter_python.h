/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python: group 9 of the adapter ABI (adapter.h). Only a library in a Python interpreter has it.
 *
 * Some requirements are about the Python side of the protocol. Their checks pass a Python
 * expression, which the adapter evaluates as the library's user would write it. The
 * counterexample's program contains the same expression. It may use these names:
 *
 *   x             the library's array of the tensor, or the object to import; None if there is none
 *   from_dlpack   the library's function of that name
 *   library       the library's module
 *
 * Checks include no Python header, and dlcert does not hold the interpreter's lock. Each function
 * takes the lock and releases it before it returns. If the expression raises an exception, the
 * function returns DLCERT_REFUSED with that error. The rules of adapter.h hold here.
 */
#ifndef DLCERT_ADAPTER_PYTHON_H_
#define DLCERT_ADAPTER_PYTHON_H_

#include <dlcert/adapter_runtime.h>
#include <dlcert/adapter_values.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dlcert_tensor;
struct dlcert_capsule;
struct dlcert_producer;
struct dlcert_tensor_spec;
struct dlcert_import_request;

/* An object to import. The adapter makes a new class for it. */
typedef struct dlcert_python_object {
  uint32_t struct_size;
  uint32_t reserved;
  /* The object's __dlpack__ and __dlpack_device__ call this producer. If a function of the producer
     is NULL, the object does not have that method. Ownership and lifetime are as in
     dlcert_exchange_group::import_from. */
  const struct dlcert_producer* producer;
  /* A const DLPackExchangeAPI*, valid until the process ends; NULL: the object has no table. */
  const void* table;
  /* Lines of Python that the adapter runs at the end of the class's body. They may use `dlpack` and
     `dlpack_device`, the two methods, and `table`, a capsule "dlpack_exchange_api" of the table
     above or None. NULL: the class has the two methods and, if there is a table, the table as its
     __dlpack_c_exchange_api__. */
  const char* class_body;
} dlcert_python_object;

/* How run() calls its body. */
enum {
  DLCERT_PYTHON_LOCK_HELD = 1,      /* with the interpreter's lock */
  DLCERT_PYTHON_ERROR_IN_FLIGHT = 2 /* with the lock, and while a ValueError is raised */
};

/* The source text that source() adds. */
enum {
  DLCERT_PYTHON_IMPORTS = 1, /* lines that import the library and define from_dlpack */
  DLCERT_PYTHON_CREATE = 2,  /* an expression that makes a tensor from a spec and logical bytes */
  DLCERT_PYTHON_READ = 3,    /* an expression for the logical bytes of x */
  DLCERT_PYTHON_DEVICE = 4,  /* an expression for the library's own object for the spec's device */
  DLCERT_PYTHON_STREAM = 5,  /* a context manager in which a stream is the current one of the spec's
                                device; `bytes` is the expression of its native handle */
  DLCERT_PYTHON_WRITE = 6 /* an expression that overwrites all elements of x with logical bytes */
};

/* Group 9: Python. Provide all functions or none, except the last three, which are optional
   together. */
typedef struct dlcert_python_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* Evaluates `expression` and adds the str() of its value to `out`, as the only text. `tensor` may
     be NULL: then x is None. */
  dlcert_status (*evaluate)(void* self, struct dlcert_tensor* tensor, const char* expression,
                            const dlcert_text_list* out, dlcert_error* error);
  /* Evaluates `expression`, whose value must be a capsule. Any other object is refused as a
     TypeError. `tensor` may be NULL. The caller owns *out and drops it by group 3. */
  dlcert_status (*evaluate_capsule)(void* self, struct dlcert_tensor* tensor,
                                    const char* expression, struct dlcert_capsule** out,
                                    dlcert_error* error);
  /* Evaluates `expression`, such as "from_dlpack(x, copy=None)", where x is `object`. Makes a
     tensor of its value. Ownership and errors are as in dlcert_exchange_group::import_from. */
  dlcert_status (*import_object)(void* self, const dlcert_python_object* object,
                                 const char* expression, struct dlcert_tensor** out,
                                 dlcert_error* error);
  /* Returns the producer of an object that import_object() made, for functions of the object's
     table; NULL if the PyObject* is not of exactly such a class. */
  const struct dlcert_producer* (*producer_of)(void* self, void* py_object);
  /* Calls body(context) once, on the calling thread. `how` is DLCERT_PYTHON_LOCK_HELD or
     DLCERT_PYTHON_ERROR_IN_FLIGHT. *kept is 1 if the ValueError is still raised after the call, or
     if there was none; else 0. */
  dlcert_status (*run)(void* self, int32_t how, void (*body)(void* context), void* context,
                       int32_t* kept, dlcert_error* error);
  /* Adds the exceptions that could not be raised since the last call, one line each: "ValueError:
     message, in where". These are the exceptions that sys.unraisablehook and threading.excepthook
     got. */
  void (*unraisable)(void* self, const dlcert_text_list* out);
  /* Ends the interpreter (Py_FinalizeEx). dlcert calls this in a process of its own, and afterwards
     calls nothing of the adapter except deleters. */
  dlcert_status (*finalize)(void* self, dlcert_error* error);
  /* Adds source text, as the only text, for a program that shows a case without dlcert. `what` is
     one of DLCERT_PYTHON_IMPORTS to DLCERT_PYTHON_WRITE. `spec` is given for DLCERT_PYTHON_CREATE,
     DLCERT_PYTHON_DEVICE and DLCERT_PYTHON_STREAM, `bytes` for DLCERT_PYTHON_CREATE,
     DLCERT_PYTHON_STREAM and DLCERT_PYTHON_WRITE; otherwise they are NULL. */
  dlcert_status (*source)(void* self, int32_t what, const struct dlcert_tensor_spec* spec,
                          const void* bytes, uint64_t size, const dlcert_text_list* out,
                          dlcert_error* error);
  /* Gives the library's own array of the tensor: a PyObject* of this process's interpreter, which
     dlcert may pass to other libraries there. Must not return DLCERT_NOT_FORMABLE. The caller
     owns *out and drops it by drop_object(). */
  dlcert_status (*object_of)(void* self, struct dlcert_tensor* tensor, void** out,
                             dlcert_error* error);
  /* Drops a reference to an object. Never fails. */
  void (*drop_object)(void* self, void* py_object);
  /* Calls from_dlpack with any object of this interpreter. The object stays the caller's. Ownership
     and errors are as in dlcert_exchange_group::import_from. */
  dlcert_status (*import_any)(void* self, void* py_object,
                              const struct dlcert_import_request* request,
                              struct dlcert_tensor** out, dlcert_error* error);
} dlcert_python_group;

#ifdef __cplusplus
}
#endif

#endif /* DLCERT_ADAPTER_PYTHON_H_ */
