/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only a library in a Python interpreter can be asked: group 9 of the adapter ABI (adapter.h).
 *
 * A rule of Python's half of the protocol asks by an expression of Python, which the adapter
 * evaluates as the library's user would write it; the same text stands in the counterexample's
 * program. Its names:
 *
 *   x            the library's array of the tensor, or the object that is imported; None without
 * one from_dlpack  the library's function of that name library      the library's module
 *
 * Checks know no header of Python, and dlcert holds no lock of the interpreter's: each function
 * takes it and gives it back. What an expression raises is DLCERT_REFUSED. The rules of adapter.h
 * hold here.
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

/* An object to import, of a class of its own. */
typedef struct dlcert_python_object {
  uint32_t struct_size;
  uint32_t reserved;
  /* Behind its __dlpack__ and __dlpack_device__; the one that is NULL there is missing. Owned and
     valid as in dlcert_exchange_group::import_from. */
  const struct dlcert_producer* producer;
  /* A const DLPackExchangeAPI*, which lives until the process ends; NULL: none. */
  const void* table;
  /* Lines of Python that are run as the end of the class's body, where `dlpack` and `dlpack_device`
     are its two methods and `table` a capsule "dlpack_exchange_api" of `table`, or None; NULL: a
     class with the two methods, and with `table` as its __dlpack_c_exchange_api__ where there is
     one. */
  const char* class_body;
} dlcert_python_object;

/* How run() calls its body. */
enum {
  DLCERT_PYTHON_LOCK_HELD = 1,      /* with the interpreter's lock */
  DLCERT_PYTHON_ERROR_IN_FLIGHT = 2 /* and while a ValueError is raised */
};

/* What source() gives. */
enum {
  DLCERT_PYTHON_IMPORTS = 1, /* lines that import the library and name its from_dlpack */
  DLCERT_PYTHON_CREATE = 2,  /* an expression that makes a tensor of a spec and logical bytes */
  DLCERT_PYTHON_READ = 3,    /* an expression that gives the logical bytes of x */
  DLCERT_PYTHON_DEVICE = 4   /* one that gives the library's own object for the device of a spec */
};

/* Group 9: Python. All or none, but for the last three. */
typedef struct dlcert_python_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* The str() of what `expression` gives, as the one text of `out`. `tensor` may be NULL. */
  dlcert_status (*evaluate)(void* self, struct dlcert_tensor* tensor, const char* expression,
                            const dlcert_text_list* out, dlcert_error* error);
  /* The capsule that `expression` gives; another object is refused as TypeError. The caller owns
   *out and drops it by the group of capsules. */
  dlcert_status (*evaluate_capsule)(void* self, struct dlcert_tensor* tensor,
                                    const char* expression, struct dlcert_capsule** out,
                                    dlcert_error* error);
  /* The tensor over what `expression` gives, such as "from_dlpack(x, copy=None)", where x is the
     object. As import_from else. */
  dlcert_status (*import_object)(void* self, const dlcert_python_object* object,
                                 const char* expression, struct dlcert_tensor** out,
                                 dlcert_error* error);
  /* The producer behind a PyObject* of import_object, for functions of its table; NULL where it is
     not of exactly such a class. */
  const struct dlcert_producer* (*producer_of)(void* self, void* py_object);
  /* Calls body(context) once, on the calling thread, as DLCERT_PYTHON_* says. *kept: whether the
     error that was in flight still is; 1 where none was. */
  dlcert_status (*run)(void* self, int32_t how, void (*body)(void* context), void* context,
                       int32_t* kept, dlcert_error* error);
  /* What could not be raised since this was last asked: what sys.unraisablehook and
     threading.excepthook got, a line each: "ValueError: message, in where". */
  void (*unraisable)(void* self, const dlcert_text_list* out);
  /* Ends the interpreter (Py_FinalizeEx), in a process of its own. Behind it nothing of the adapter
     may be called; deleters may. */
  dlcert_status (*finalize)(void* self, dlcert_error* error);
  /* Source for a program that shows a case without dlcert: DLCERT_PYTHON_*. `spec` is of
     DLCERT_PYTHON_CREATE and DLCERT_PYTHON_DEVICE, `bytes` of the first of these alone, else NULL.
   */
  dlcert_status (*source)(void* self, int32_t what, const struct dlcert_tensor_spec* spec,
                          const void* bytes, uint64_t size, const dlcert_text_list* out,
                          dlcert_error* error);
  /* This and the next two: all or none. The library's own array of the tensor: a PyObject* of this
     process's interpreter, which may go to other libraries there. The caller owns *out and drops
     it. */
  dlcert_status (*object_of)(void* self, struct dlcert_tensor* tensor, void** out,
                             dlcert_error* error);
  /* Gives up a reference to an object. Never fails. */
  void (*drop_object)(void* self, void* py_object);
  /* from_dlpack of an object of this interpreter, whoever made it, which stays the caller's. As
     import_from else. */
  dlcert_status (*import_any)(void* self, void* py_object,
                              const struct dlcert_import_request* request,
                              struct dlcert_tensor** out, dlcert_error* error);
} dlcert_python_group;

#ifdef __cplusplus
}
#endif

#endif /* DLCERT_ADAPTER_PYTHON_H_ */
