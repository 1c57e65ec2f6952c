// SPDX-License-Identifier: Apache-2.0

#include "dlcert/python/errors.hpp"

#include "dlcert/tensor/object.hpp"

namespace dlcert::reference::python {

void throw_raised() {
  if (PyErr_ExceptionMatches(PyExc_TypeError) != 0) throw RaisedTypeError();
  throw Raised();
}

void raise_current_exception() noexcept {
  try {
    throw;
  } catch (const Raised&) {
    return;
  } catch (...) {
    const PythonError error = current_python_error();
    const Owned builtins(PyImport_ImportModule("builtins"));
    const Owned kind(builtins ? PyObject_GetAttrString(builtins.get(), error.kind) : nullptr);
    if (kind) PyErr_SetString(kind.get(), error.message);
  }
}

}  // namespace dlcert::reference::python
