/* SPDX-License-Identifier: Apache-2.0 */
/* The library of wrong.py behind functions in C, which have no frames. The function that ACME_FAULT
   names, as "tobytes:KeyError", raises that error; "null" stands for NULL without an error. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  PyObject_HEAD PyObject* inner; /* a wrong.Array */
} Array;

static PyObject* library; /* the module wrong */
static PyObject* array_type;
static PyObject* own_error;

/* Whether the function has the fault; then its error is set. */
static int fails(const char* function) {
  const char* const fault = getenv("ACME_FAULT");
  const size_t length = strlen(function);
  if (fault == NULL || strncmp(fault, function, length) != 0 || fault[length] != ':') return 0;
  const char* const kind = fault + length + 1;
  if (strcmp(kind, "null") == 0) return 1;
  PyObject* const raised =
      strcmp(kind, "AcmeError") == 0 ? own_error : PyDict_GetItemString(PyEval_GetBuiltins(), kind);
  PyErr_SetString(raised, "acme has failed");
  return 1;
}

/* An Array of what `inner`, a new reference or NULL, is. */
static PyObject* wrapped(PyObject* inner) {
  if (inner == NULL) return NULL;
  Array* const array = PyObject_New(Array, (PyTypeObject*)array_type);
  if (array == NULL)
    Py_DECREF(inner);
  else
    array->inner = inner;
  return (PyObject*)array;
}

static PyObject* called(PyObject* object, const char* method, PyObject* arguments,
                        PyObject* keywords) {
  if (fails(method)) return NULL;
  PyObject* const function = PyObject_GetAttrString(object, method);
  if (function == NULL) return NULL;
  PyObject* const result = PyObject_Call(function, arguments, keywords);
  Py_DECREF(function);
  return result;
}

static PyObject* dlpack(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return called(((Array*)self)->inner, "__dlpack__", arguments, keywords);
}

static PyObject* dlpack_device(PyObject* self, PyObject* arguments) {
  return called(((Array*)self)->inner, "__dlpack_device__", arguments, NULL);
}

static PyObject* tobytes(PyObject* self, PyObject* arguments) {
  return called(((Array*)self)->inner, "tobytes", arguments, NULL);
}

static PyObject* attribute(PyObject* self, void* name) {
  return fails(name) ? NULL : PyObject_GetAttrString(((Array*)self)->inner, name);
}

static void deallocate(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Py_DECREF(((Array*)self)->inner);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* from_dlpack(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  return wrapped(called(library, "from_dlpack", arguments, keywords));
}

static PyObject* array(PyObject* module, PyObject* arguments) {
  (void)module;
  return wrapped(called(library, "Array", arguments, NULL));
}

static PyMethodDef methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))dlpack, METH_VARARGS | METH_KEYWORDS, NULL},
    {"__dlpack_device__", dlpack_device, METH_VARARGS, NULL},
    {"tobytes", tobytes, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef attributes[] = {{"dtype", attribute, NULL, NULL, "dtype"},
                                   {"shape", attribute, NULL, NULL, "shape"},
                                   {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {{Py_tp_methods, methods},
                              {Py_tp_getset, attributes},
                              {Py_tp_dealloc, (void*)deallocate},
                              {0, NULL}};

static PyType_Spec type_spec = {"acme_native.Array", sizeof(Array), 0, Py_TPFLAGS_DEFAULT, slots};

static PyMethodDef functions[] = {
    {"from_dlpack", (PyCFunction)(void (*)(void))from_dlpack, METH_VARARGS | METH_KEYWORDS, NULL},
    {"array", array, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "acme_native", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_acme_native(void) {
  library = PyImport_ImportModule("wrong");
  array_type = PyType_FromSpec(&type_spec);
  own_error = PyErr_NewException("acme_native.AcmeError", NULL, NULL);
  PyObject* const module = PyModule_Create(&definition);
  if (library == NULL || array_type == NULL || own_error == NULL || module == NULL) return NULL;
  if (PyModule_AddStringConstant(module, "__version__", "0.1") < 0 ||
      PyModule_AddObjectRef(module, "Array", array_type) < 0 ||
      PyModule_AddObjectRef(module, "AcmeError", own_error) < 0)
    return NULL;
  return module;
}
