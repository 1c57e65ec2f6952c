// SPDX-License-Identifier: Apache-2.0
//
// Errors on their way between C++ and Python.

#pragma once

#include "dlcert/python/owned.hpp"
#include "dlcert/tensor/errors.hpp"

namespace dlcert::reference::python {

/// Thrown while Python's error indicator is set: the error is there, and nothing is to be added.
struct Raised {};
/// The same of a TypeError, by which an object tells an importer that it does not know an argument.
class RaisedTypeError : public Error, public Raised {
 public:
  RaisedTypeError() : Error(ErrorKind::type, "raised in Python") {}
};

/// Throws what fits the error that Python has.
[[noreturn]] void throw_raised();

/// Takes over what a function of Python returned; NULL is its failure, and thrown.
[[nodiscard]] inline Owned checked(PyObject* result) {
  if (result == nullptr) throw_raised();
  return Owned(result);
}
/// The same of a function that tells its failure by -1.
inline void checked(int result) {
  if (result == -1) throw_raised();
}

/// In a handler: makes the exception Python's error, as one of the built-in kinds.
void raise_current_exception() noexcept;

/// What a function for Python returns: the object that `action` gives, an Owned, or NULL with
/// Python's error.
template <class Action>
PyObject* guarded(const Action& action) noexcept {
  try {
    return action().give();
  } catch (...) {
    raise_current_exception();
    return nullptr;
  }
}

}  // namespace dlcert::reference::python
