// SPDX-License-Identifier: Apache-2.0
//
// The array type: a Python object around an Object of reference/tensor, which holds the elements.
// It refers to no other object of Python's, so that no deleter touches the interpreter: what is
// exported may outlive it, and may end on any thread, with the lock or without.

#pragma once

#include <cstring>
#include <utility>

#include "dlcert/python/arguments.hpp"
#include "dlcert/python/capsules.hpp"
#include "dlcert/python/create.hpp"
#include "dlcert/python/errors.hpp"
#include "dlcert/tensor/object.hpp"

namespace dlcert::reference::python {

/// The layout of an array in memory.
struct ArrayObject {
  PyObject_HEAD Object* tensor;  ///< a reference; NULL until the array is filled
};

[[nodiscard]] inline const Tensor& tensor_of(PyObject* array) noexcept {
  return reinterpret_cast<const ArrayObject*>(array)->tensor->tensor();
}

// What an array tells of itself, and how its elements are read and written.
extern PyGetSetDef array_properties[];
PyObject* array_tobytes(PyObject* self, PyObject*) noexcept;
PyObject* array_write(PyObject* self, PyObject* data) noexcept;

/// A function that takes keywords, as tables of methods hold it.
inline PyCFunction method(PyCFunctionWithKeywords function) noexcept {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

/// The array type of a Face.
template <class Face>
class Array {
 public:
  /// The type, made at the first call, which throws Raised when it fails. It lives as long as the
  /// interpreter. Borrowed.
  static PyTypeObject* type() {
    if (type_ == nullptr) type_ = made_type();
    return type_;
  }

  /// An array without elements yet, so that nothing fails once there are some.
  [[nodiscard]] static Owned room(PyTypeObject* of = type()) {
    return checked(PyType_GenericAlloc(of, 0));
  }
  /// Takes over a reference to `tensor`.
  static void fill(const Owned& room, Object* tensor) noexcept {
    reinterpret_cast<ArrayObject*>(room.get())->tensor = tensor;
  }
  /// Throws Raised or std::bad_alloc.
  [[nodiscard]] static Owned of(const Tensor& tensor, PyTypeObject* kind = type()) {
    Owned array = room(kind);
    fill(array, make_object(tensor));
    return array;
  }

  /// The object behind an array of this type or of one derived from it; NULL, and a TypeError, for
  /// others.
  [[nodiscard]] static Object* object_behind(PyObject* array) noexcept {
    if (PyObject_TypeCheck(array, type_)) return reinterpret_cast<ArrayObject*>(array)->tensor;
    PyErr_Format(PyExc_TypeError, "expected an Array but found an object of %R", Py_TYPE(array));
    return nullptr;
  }

 private:
  static PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* keywords) noexcept {
    return guarded([&] { return of(create(arguments, keywords), type); });
  }

  static void end(PyObject* self) noexcept {
    PyTypeObject* const type = Py_TYPE(self);
    if (Object* const tensor = reinterpret_cast<ArrayObject*>(self)->tensor) tensor->release();
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
  }

  static PyObject* dlpack(PyObject* self, PyObject* arguments, PyObject* keywords) noexcept {
    static const char* const names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
    PyObject* stream = nullptr;
    PyObject* max_version = nullptr;
    PyObject* device = nullptr;
    PyObject* copy = nullptr;
    if (PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OOOO:__dlpack__",
                                    const_cast<char**>(names), &stream, &max_version, &device,
                                    &copy) == 0)
      return nullptr;
    return guarded([&] {
      const ExportRequest request{.stream = argument_of(stream),
                                  .max_version = argument_of(max_version),
                                  .dl_device = argument_of(device),
                                  .copy = argument_of(copy)};
      return object_of(Face::exporter().capsule(tensor_of(self), request));
    });
  }

  static PyObject* dlpack_device(PyObject* self, PyObject*) noexcept {
    return guarded([&] { return object_of(tensor_of(self).device()); });
  }

  static PyObject* view(PyObject* self, PyObject*) noexcept {
    return guarded([&] { return of(tensor_of(self)); });
  }

  static PyTypeObject* made_type() {
    static PyMethodDef methods[] = {
        {"__dlpack__", method(&dlpack), METH_VARARGS | METH_KEYWORDS,
         "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
         "A capsule that shares the elements, or copies them where that is asked for."},
        {"__dlpack_device__", &dlpack_device, METH_NOARGS,
         "__dlpack_device__($self, /)\n--\n\nThe device as (type, id)."},
        {"tobytes", &array_tobytes, METH_NOARGS,
         "tobytes($self, /)\n--\n\nThe elements in row-major order, each in whole bytes."},
        {"write", &array_write, METH_O,
         "write($self, data, /)\n--\n\nTakes all elements from what tobytes() gives."},
        {"view", &view, METH_NOARGS, "view($self, /)\n--\n\nAnother array of the same elements."},
        {nullptr, nullptr, 0, nullptr}};
    PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(array_doc)},
                           {Py_tp_new, reinterpret_cast<void*>(&make)},
                           {Py_tp_dealloc, reinterpret_cast<void*>(&end)},
                           {Py_tp_methods, methods},
                           {Py_tp_getset, array_properties},
                           {0, nullptr}};
    PyType_Spec spec{.name = "dlcert_reference.Array",
                     .basicsize = sizeof(ArrayObject),
                     .itemsize = 0,
                     .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                     .slots = slots};
    return reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).give());
  }

  static inline PyTypeObject* type_ = nullptr;
};

}  // namespace dlcert::reference::python
