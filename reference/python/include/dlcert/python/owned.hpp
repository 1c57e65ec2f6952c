// SPDX-License-Identifier: Apache-2.0
//
// Python's objects in C++. Whoever calls anything of this folder holds the interpreter's lock,
// unless the comment says otherwise.

#pragma once

#ifndef Py_LIMITED_API
#error "one build serves all interpreters from 3.10 on: define Py_LIMITED_API as 0x030A0000"
#endif
#include <Python.h>

#include <utility>

namespace dlcert::reference::python {

/// One reference to an object, or none. Move-only.
class Owned {
 public:
  /// Takes over a reference that the caller holds; NULL is none.
  explicit Owned(PyObject* reference = nullptr) noexcept : object_(reference) {}
  /// Another reference to a borrowed object.
  static Owned share(PyObject* borrowed) noexcept {
    Py_XINCREF(borrowed);
    return Owned(borrowed);
  }
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { Py_XDECREF(object_); }

  [[nodiscard]] PyObject* get() const noexcept { return object_; }
  [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }
  /// Leaves the reference to the caller.
  [[nodiscard]] PyObject* give() noexcept { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_;
};

}  // namespace dlcert::reference::python
