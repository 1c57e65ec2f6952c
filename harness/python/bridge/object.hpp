// SPDX-License-Identifier: Apache-2.0
//
// References, the interpreter's lock, and errors: what everything that touches Python needs.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlcert/adapter_errors.hpp>

#include "python_api.hpp"

namespace dlcert::python {

// While one lives the calling thread has the interpreter's lock; it may have it already.
class Lock {
 public:
  Lock() : state_{py.PyGILState_Ensure()} {}
  ~Lock() { py.PyGILState_Release(state_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int state_;
};

// While one lives the calling thread, which has the lock, does not have it.
class Unlocked {
 public:
  Unlocked() : state_{py.PyEval_SaveThread()} {}
  ~Unlocked() { py.PyEval_RestoreThread(state_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

// A reference to an object, or none. All of it needs the lock, moving excepted.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_{owned} {}
  static Ref to(PyObject* borrowed) {
    py.Py_IncRef(borrowed);
    return Ref{borrowed};
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  Ref(Ref&& other) noexcept : object_{std::exchange(other.object_, nullptr)} {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) py.Py_DecRef(object_);
  }

  explicit operator bool() const { return object_ != nullptr; }
  PyObject* get() const { return object_; }
  PyObject* give_up() { return std::exchange(object_, nullptr); }
  Ref copy() const { return to(object_); }

 private:
  PyObject* object_ = nullptr;
};

// Thrown where an error is set: the one that is in flight stays so.
struct Raised {};

// The object that a function of the C API made; throws Raised where it made none.
inline Ref made(PyObject* object) {
  if (object == nullptr) throw Raised{};
  return Ref{object};
}
inline void done(int status) {
  if (status < 0) throw Raised{};
}

inline PyObject* none() {
  return py._Py_NoneStruct;
}
// By its real type, whatever it says of itself.
bool is_a(PyObject* object, PyObject* type);

// A tuple of the objects, which are empty from then on.
Ref tuple(std::span<Ref> objects);
template <std::same_as<Ref>... Object>
Ref tuple(Object... object) {
  std::array<Ref, sizeof...(object)> objects{std::move(object)...};
  return tuple(std::span<Ref>{objects});
}
Ref text_tuple(const std::vector<std::string>& texts);
Ref number(long long value);
Ref unsigned_number(unsigned long long value);
Ref address(const void* pointer);
Ref truth(bool value);
Ref text(std::string_view utf8);

Ref attribute(PyObject* object, const char* name);
// Calls with positional arguments, and with keywords where there are any.
Ref call(PyObject* callable, const Ref& arguments, PyObject* keywords = nullptr);
Ref call(PyObject* callable);

// The UTF-8 of a text; of one that has none, or that is no text, its repr(). Never throws.
std::string to_utf8(PyObject* object);
// Its repr(), cut to a line's length; for messages. Never throws.
std::string shown(PyObject* object);
long long to_number(PyObject* object);
std::vector<std::int64_t> numbers(PyObject* sequence);
// Borrowed from the tuple.
PyObject* item(PyObject* tuple, std::ptrdiff_t index);

// Keeps the error that is in flight, if one is, out of the way of what is done meanwhile.
class ErrorKept {
 public:
  ErrorKept() { py.PyErr_Fetch(&type_, &value_, &traceback_); }
  ~ErrorKept() { py.PyErr_Restore(type_, value_, traceback_); }
  ErrorKept(const ErrorKept&) = delete;
  ErrorKept& operator=(const ErrorKept&) = delete;

 private:
  PyObject *type_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};

// The error that is in flight, which is not from now on.
Ref take_error();
// How the adapter ABI tells of it.
adapter::Refused refused(PyObject* error);
// The built-in exception that a kind of error stands for; NULL: none does.
PyObject* exception_of(dlcert_error_kind kind);

}  // namespace dlcert::python
