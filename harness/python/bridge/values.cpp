// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include "interpreter.hpp"

namespace dlcert::python {

namespace {

PyObject* absent_object = nullptr;  // of the package, for good

bool is_integer(PyObject* object) {
  return is_a(object, py.PyLong_Type) && !is_a(object, py.PyBool_Type);
}

// False where it does not fit.
bool read_number(PyObject* object, std::int64_t& out) {
  out = py.PyLong_AsLongLong(object);
  if (out != -1 || py.PyErr_Occurred() == nullptr) return true;
  py.PyErr_Clear();
  return false;
}

bool read_pair(PyObject* object, dlcert_value& value) {
  if (!is_a(object, py.PyTuple_Type) || py.PyTuple_Size(object) != 2) return false;
  PyObject* const first = py.PyTuple_GetItem(object, 0);
  PyObject* const second = py.PyTuple_GetItem(object, 1);
  return is_integer(first) && is_integer(second) && read_number(first, value.first) &&
         read_number(second, value.second);
}

}  // namespace

Ref to_object(const dlcert_value& value) {
  switch (value.tag) {
    case DLCERT_NONE:
      return Ref::to(none());
    case DLCERT_BOOL:
      return made(py.PyBool_FromLong(value.first != 0 ? 1 : 0));
    case DLCERT_INT:
      return number(value.first);
    case DLCERT_PAIR:
      return tuple(number(value.first), number(value.second));
    case DLCERT_FLOAT:
      return made(py.PyFloat_FromDouble(value.number));
    case DLCERT_TEXT:
      return text(value.text);
    case DLCERT_OBJECT:
      return call(host_function("value").get(), tuple(text(value.text)));
    default:
      throw adapter::NotFormable{};
  }
}

PassedValue::PassedValue(PyObject* object) {
  if (object == absent_object) {
    value_.tag = DLCERT_ABSENT;
  } else if (object == none()) {
    value_.tag = DLCERT_NONE;
  } else if (is_a(object, py.PyBool_Type)) {
    value_.tag = DLCERT_BOOL;
    value_.first = py.PyObject_IsTrue(object);
  } else if (is_integer(object) && read_number(object, value_.first)) {
    value_.tag = DLCERT_INT;
  } else if (is_a(object, py.PyFloat_Type)) {
    value_.tag = DLCERT_FLOAT;
    value_.number = py.PyFloat_AsDouble(object);
  } else if (read_pair(object, value_)) {
    value_.tag = DLCERT_PAIR;
  } else {
    value_.tag = is_a(object, py.PyUnicode_Type) ? DLCERT_TEXT : DLCERT_OBJECT;
    text_ = to_utf8(object);
    value_.text = text_.c_str();
  }
}

Ref keywords(const dlcert_request& request) {
  return keywords(
      std::array{Keyword{"stream", &request.stream}, Keyword{"max_version", &request.max_version},
                 Keyword{"dl_device", &request.dl_device}, Keyword{"copy", &request.copy}});
}

Ref keywords(const dlcert_import_request& request) {
  return keywords(std::array{Keyword{"device", &request.device}, Keyword{"copy", &request.copy}});
}

void set_absent(PyObject* object) {
  absent_object = object;
}

}  // namespace dlcert::python
