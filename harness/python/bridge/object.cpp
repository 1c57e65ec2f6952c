// SPDX-License-Identifier: Apache-2.0
#include "object.hpp"

#include <array>
#include <optional>

namespace dlcert::python {

namespace {

struct Kind {
  dlcert_error_kind kind;
  PyObject** Api::*type;
};

// Derived ones before those that they derive from.
constexpr std::array kinds{
    Kind{DLCERT_ERROR_BUFFER, &Api::PyExc_BufferError},
    Kind{DLCERT_ERROR_MODULE_NOT_FOUND, &Api::PyExc_ModuleNotFoundError},
    Kind{DLCERT_ERROR_NOT_IMPLEMENTED, &Api::PyExc_NotImplementedError},
    Kind{DLCERT_ERROR_INDEX, &Api::PyExc_IndexError},
    Kind{DLCERT_ERROR_VALUE, &Api::PyExc_ValueError},
    Kind{DLCERT_ERROR_TYPE, &Api::PyExc_TypeError},
    Kind{DLCERT_ERROR_ATTRIBUTE, &Api::PyExc_AttributeError},
    Kind{DLCERT_ERROR_ASSERTION, &Api::PyExc_AssertionError},
    Kind{DLCERT_ERROR_OS, &Api::PyExc_OSError},
    Kind{DLCERT_ERROR_MEMORY, &Api::PyExc_MemoryError},
    Kind{DLCERT_ERROR_RUNTIME, &Api::PyExc_RuntimeError},
};

// Empty where it has none.
std::optional<std::string> utf8_of(PyObject* text) {
  std::ptrdiff_t size = 0;
  const char* const utf8 = py.PyUnicode_AsUTF8AndSize(text, &size);
  if (utf8 != nullptr) return std::string{utf8, static_cast<std::size_t>(size)};
  py.PyErr_Clear();
  return std::nullopt;
}

dlcert_error_kind kind_of(PyObject* error) {
  for (const Kind& one : kinds)
    if (py.PyErr_GivenExceptionMatches(error, *(py.*one.type)) != 0) return one.kind;
  return DLCERT_ERROR_OTHER;
}

std::string message_of(PyObject* error) {
  const Ref message{py.PyObject_Str(error)};
  if (!message) py.PyErr_Clear();
  return message ? to_utf8(message.get()) : "an error that has no text";
}

}  // namespace

bool is_a(PyObject* object, PyObject* type) {
  const Ref own{py.PyObject_Type(object)};
  return py.PyType_IsSubtype(own.get(), type) != 0;
}

Ref tuple(std::span<Ref> objects) {
  Ref made_tuple = made(py.PyTuple_New(static_cast<std::ptrdiff_t>(objects.size())));
  std::ptrdiff_t index = 0;
  for (Ref& object : objects)
    py.PyTuple_SetItem(made_tuple.get(), index++, object.give_up());
  return made_tuple;
}

Ref text_tuple(const std::vector<std::string>& texts) {
  Ref all = made(py.PyTuple_New(static_cast<std::ptrdiff_t>(texts.size())));
  std::ptrdiff_t index = 0;
  for (const std::string& one : texts)
    py.PyTuple_SetItem(all.get(), index++, text(one).give_up());
  return all;
}

Ref number(long long value) {
  return made(py.PyLong_FromLongLong(value));
}

Ref unsigned_number(unsigned long long value) {
  return made(py.PyLong_FromUnsignedLongLong(value));
}

Ref address(const void* pointer) {
  return unsigned_number(reinterpret_cast<std::uintptr_t>(pointer));
}

Ref truth(bool value) {
  return made(py.PyBool_FromLong(value ? 1 : 0));
}

Ref text(std::string_view utf8) {
  return made(
      py.PyUnicode_DecodeUTF8(utf8.data(), static_cast<std::ptrdiff_t>(utf8.size()), "replace"));
}

Ref attribute(PyObject* object, const char* name) {
  return made(py.PyObject_GetAttrString(object, name));
}

Ref call(PyObject* callable, const Ref& arguments, PyObject* keywords) {
  return made(py.PyObject_Call(callable, arguments.get(), keywords));
}

Ref call(PyObject* callable) {
  return call(callable, tuple());
}

std::string to_utf8(PyObject* object) {
  const ErrorKept kept;
  if (is_a(object, py.PyUnicode_Type))
    if (const std::optional<std::string> utf8 = utf8_of(object)) return *utf8;
  const Ref text{py.PyObject_Repr(object)};
  if (text)
    if (const std::optional<std::string> utf8 = utf8_of(text.get())) return *utf8;
  py.PyErr_Clear();
  return "an object that has no text";
}

std::string shown(PyObject* object) {
  constexpr std::size_t longest = 200;
  const ErrorKept kept;
  const Ref text{py.PyObject_Repr(object)};
  std::string line = text ? to_utf8(text.get()) : "an object that has no text";
  if (line.size() > longest) line = line.substr(0, longest) + "...";
  return line;
}

long long to_number(PyObject* object) {
  const Ref index = made(py.PyNumber_Index(object));
  const long long value = py.PyLong_AsLongLong(index.get());
  if (value == -1 && py.PyErr_Occurred() != nullptr) throw Raised{};
  return value;
}

PyObject* item(PyObject* tuple, std::ptrdiff_t index) {
  PyObject* const found = py.PyTuple_GetItem(tuple, index);
  if (found == nullptr) throw Raised{};
  return found;
}

std::vector<std::int64_t> numbers(PyObject* sequence) {
  const Ref items = made(py.PySequence_Tuple(sequence));
  std::vector<std::int64_t> values;
  for (std::ptrdiff_t i = 0; i < py.PyTuple_Size(items.get()); ++i)
    values.push_back(to_number(item(items.get(), i)));
  return values;
}

Ref take_error() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  py.PyErr_Fetch(&type, &value, &traceback);
  if (type == nullptr) return {};
  py.PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) py.PyException_SetTraceback(value, traceback);
  const Ref dropped_type{type}, dropped_traceback{traceback};
  return Ref{value};
}

adapter::Refused refused(PyObject* error) {
  const Ref type{py.PyObject_Type(error)};
  const Ref name{py.PyObject_GetAttrString(type.get(), "__name__")};
  py.PyErr_Clear();
  adapter::Refused told{kind_of(error), message_of(error), name ? to_utf8(name.get()) : ""};
  if (const Ref cause{py.PyException_GetCause(error)})
    told.set_cause(kind_of(cause.get()), message_of(cause.get()));
  else
    told.set_no_cause();
  return told;
}

PyObject* exception_of(dlcert_error_kind kind) {
  for (const Kind& one : kinds)
    if (one.kind == kind) return *(py.*one.type);
  return nullptr;
}

}  // namespace dlcert::python
