// SPDX-License-Identifier: Apache-2.0
//
// References to objects, over functions of the C API that count them and need no interpreter.
#include "python/bridge/object.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace dlcert::python {
namespace {

// A number, or a tuple that owns its items.
struct Object {
  int references = 1;
  std::vector<Object*> items{};
};

int alive = 0;

PyObject* new_object() {
  ++alive;
  return reinterpret_cast<PyObject*>(new Object);
}

Object* object_of(PyObject* object) {
  return reinterpret_cast<Object*>(object);
}

void decrease(PyObject* pointer) {
  Object* const object = object_of(pointer);
  if (--object->references != 0) return;
  for (Object* const item : object->items)
    decrease(reinterpret_cast<PyObject*>(item));
  delete object;
  --alive;
}

int set_item(PyObject* tuple, std::ptrdiff_t, PyObject* item) {
  object_of(tuple)->items.push_back(object_of(item));
  return 0;
}

class Tuples : public testing::Test {
 protected:
  Tuples() {
    py.Py_DecRef = &decrease;
    py.PyLong_FromLongLong = [](long long value) { return value < 0 ? nullptr : new_object(); };
    py.PyTuple_New = [](std::ptrdiff_t) { return new_object(); };
    py.PyTuple_SetItem = &set_item;
  }
};

TEST_F(Tuples, OwnTheirItems) {
  {
    const Ref pair = tuple(number(1), number(2));
    EXPECT_EQ(object_of(pair.get())->items.size(), 2u);
    EXPECT_EQ(alive, 3);
  }
  EXPECT_EQ(alive, 0);
}

TEST_F(Tuples, AnElementThatCannotBeMadeLeaksNone) {
  EXPECT_THROW(tuple(number(1), number(-1)), Raised);
  EXPECT_THROW(tuple(number(-1), number(1)), Raised);  // no order of the two is promised
  EXPECT_EQ(alive, 0);
}

TEST_F(Tuples, ATupleThatCannotBeMadeLeaksNoElement) {
  py.PyTuple_New = [](std::ptrdiff_t) -> PyObject* { return nullptr; };
  EXPECT_THROW(tuple(number(1), number(2)), Raised);
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace dlcert::python
