// SPDX-License-Identifier: Apache-2.0

#include "dlcert/python/arguments.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "dlcert/python/errors.hpp"
#include "dlcert/tensor/export_steps.hpp"

namespace dlcert::reference::python {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

std::int64_t integer_of(PyObject* object) {
  const Owned number = checked(PyNumber_Index(object));
  int overflow = 0;
  const std::int64_t value = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow != 0) throw Error(ErrorKind::value, "expected a number of 64 bits but found more");
  return value;
}

bool is_pair(PyObject* object) {
  return PyTuple_Check(object) && PyTuple_Size(object) == 2 &&
         PyIndex_Check(PyTuple_GetItem(object, 0)) != 0 &&
         PyIndex_Check(PyTuple_GetItem(object, 1)) != 0;
}

std::string_view text_of(PyObject* object) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) throw_raised();
  return {text, static_cast<std::size_t>(size)};
}

struct ToObject {
  PyObject* operator()(Absent) const { return Owned::share(Py_None).give(); }
  PyObject* operator()(None) const { return Owned::share(Py_None).give(); }
  PyObject* operator()(bool flag) const { return PyBool_FromLong(flag ? 1 : 0); }
  PyObject* operator()(std::int64_t number) const { return PyLong_FromLongLong(number); }
  PyObject* operator()(const Pair& pair) const {
    return Py_BuildValue("(LL)", static_cast<long long>(pair.first),
                         static_cast<long long>(pair.second));
  }
  PyObject* operator()(double number) const { return PyFloat_FromDouble(number); }
  PyObject* operator()(std::string_view text) const {
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  }
};

}  // namespace

Argument argument_of(PyObject* object) {
  if (object == nullptr) return Absent{};
  if (object == Py_None) return None{};
  if (PyBool_Check(object)) return object == Py_True;
  if (PyIndex_Check(object) != 0) return integer_of(object);
  if (PyFloat_Check(object)) return PyFloat_AsDouble(object);
  if (PyUnicode_Check(object)) return text_of(object);
  if (is_pair(object))
    return Pair(integer_of(PyTuple_GetItem(object, 0)), integer_of(PyTuple_GetItem(object, 1)));
  PyErr_Format(PyExc_TypeError,
               "expected none, a number or a tuple of two integers but found an object of %R",
               Py_TYPE(object));
  throw_raised();
}

Owned object_of(const Argument& argument) {
  return checked(std::visit(ToObject{}, argument));
}

DLDevice device_of(PyObject* object) {
  const std::optional<DLDevice> device = ExportSteps::device(argument_of(object));
  if (!device) throw Error(ErrorKind::type, "expected a device (type, id) but found none");
  return *device;
}

Owned object_of(DLDevice device) {
  return checked(
      Py_BuildValue("(ii)", static_cast<int>(device.device_type), int{device.device_id}));
}

Dims dims_of(PyObject* sequence) {
  const Py_ssize_t size = PySequence_Size(sequence);
  if (size == -1) throw_raised();
  Dims dims = Dims::filled(static_cast<std::size_t>(size), 0);
  for (Py_ssize_t axis = 0; axis < size; ++axis)
    dims[static_cast<std::size_t>(axis)] =
        integer_of(checked(PySequence_GetItem(sequence, axis)).get());
  return dims;
}

std::span<const std::byte> bytes_of(PyObject* object) {
  char* begin = nullptr;
  Py_ssize_t size = 0;
  checked(PyBytes_AsStringAndSize(object, &begin, &size));
  return std::as_bytes(std::span(begin, static_cast<std::size_t>(size)));
}

Owned object_of(std::span<const std::int64_t> numbers) {
  Owned tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
  Py_ssize_t at = 0;
  for (const std::int64_t number : numbers)
    checked(PyTuple_SetItem(tuple.get(), at++, checked(PyLong_FromLongLong(number)).give()));
  return tuple;
}

}  // namespace dlcert::reference::python
