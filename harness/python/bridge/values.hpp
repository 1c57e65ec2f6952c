// SPDX-License-Identifier: Apache-2.0
//
// Arguments of the protocol, between the adapter ABI and Python.
#pragma once

#include <dlcert/adapter.h>

#include <array>
#include <string>

#include "object.hpp"

namespace dlcert::python {

// The object that `value` stands for, which is not DLCERT_ABSENT; throws adapter::NotFormable for a
// guard. DLCERT_OBJECT is evaluated.
Ref to_object(const dlcert_value& value);

// What a library passed; its text lives as long as this.
class PassedValue {
 public:
  explicit PassedValue(PyObject* object);
  const dlcert_value& value() const { return value_; }

 private:
  dlcert_value value_{};
  std::string text_;
};

// Keywords of the arguments that are given; NULL where none is. Throws as to_object().
struct Keyword {
  const char* name;
  const dlcert_value* value;
};
template <std::size_t Count>
Ref keywords(const std::array<Keyword, Count>& arguments) {
  Ref made_keywords;
  for (const Keyword& one : arguments) {
    if (one.value->tag == DLCERT_ABSENT) continue;
    if (!made_keywords) made_keywords = made(py.PyDict_New());
    const Ref object = to_object(*one.value);
    done(py.PyDict_SetItemString(made_keywords.get(), one.name, object.get()));
  }
  return made_keywords;
}
Ref keywords(const dlcert_request& request);
Ref keywords(const dlcert_import_request& request);

// From now on `object`, which lives for good, stands for an argument that is not given.
void set_absent(PyObject* object);

}  // namespace dlcert::python
