// SPDX-License-Identifier: Apache-2.0
//
// CPython's C API, found by name in the process. No header of Python is used: layouts of objects
// differ from version to version.
#pragma once

#include <cstddef>
#include <string>

struct PyObject;       // opaque
struct PyThreadState;  // opaque

// Of the stable ABI, as are the flags.
struct PyMethodDef {
  const char* name;
  PyObject* (*function)(PyObject* self, PyObject* arguments);
  int flags;
  const char* doc;
};
inline constexpr int METH_VARARGS = 1;

namespace dlcert::python {

struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define DLCERT_PYTHON_FUNCTION(result, name, parameters) result(*name) parameters;
#define DLCERT_PYTHON_OBJECT(name) PyObject* name;
#define DLCERT_PYTHON_ERROR(name) PyObject** name;
#include "python_api.inc"
#undef DLCERT_PYTHON_FUNCTION
#undef DLCERT_PYTHON_OBJECT
#undef DLCERT_PYTHON_ERROR
};

// Valid once load_api() has succeeded.
extern Api py;

// Looks all names up in what `module` is a handle of; gives the first that it lacks, or "".
std::string load_api(void* module);

}  // namespace dlcert::python
