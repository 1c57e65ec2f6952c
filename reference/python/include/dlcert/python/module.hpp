// SPDX-License-Identifier: Apache-2.0
//
// The module: the array type with its table, and the functions that import.

#pragma once

#include "dlcert/python/array.hpp"
#include "dlcert/python/producer.hpp"
#include "dlcert/python/steps.hpp"
#include "dlcert/python/streams.hpp"
#include "dlcert/python/table.hpp"

namespace dlcert::reference::python {

/// The module of a Face.
template <class Face>
class Module {
 public:
  /// What PyInit_dlcert_reference returns. Once per process: tables of functions have no context,
  /// so the type is one for all interpreters.
  static PyObject* init() noexcept {
    return guarded([] {
      Owned module = checked(PyModule_Create(&definition));
      auto* const type = reinterpret_cast<PyObject*>(Array<Face>::type());
      const Owned table = checked(
          PyCapsule_New(const_cast<DLPackExchangeAPI*>(&Table<Face>::api), table_capsule, nullptr));
      checked(PyObject_SetAttrString(type, table_attribute, table.get()));
      checked(PyModule_AddObjectRef(module.get(), "Array", type));
      checked(PyModule_AddObjectRef(module.get(), "stream", stream_type().get()));
      checked(PyModule_AddStringConstant(module.get(), "__version__", DLCERT_VERSION));
      return module;
    });
  }

 private:
  static PyObject* from_dlpack(PyObject*, PyObject* arguments, PyObject* keywords) noexcept {
    static const char* const names[] = {"", "device", "copy", nullptr};
    PyObject* object = nullptr;
    PyObject* device = nullptr;
    PyObject* copy = nullptr;
    if (PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$OO:from_dlpack",
                                    const_cast<char**>(names), &object, &device, &copy) == 0)
      return nullptr;
    return guarded([&] {
      if (PyCapsule_CheckExact(object) && device == nullptr && copy == nullptr) {
        Capsule capsule = capsule_of(Owned::share(object));
        return Array<Face>::of(Face::importer().import(capsule));
      }
      Producer<Face> producer(object);
      const ImportRequest request{.device = argument_of(device), .copy = argument_of(copy)};
      return Array<Face>::of(Face::importer().import(producer, request));
    });
  }

  static PyObject* to_dlpack(PyObject*, PyObject* array) noexcept {
    const Object* const object = Array<Face>::object_behind(array);
    if (object == nullptr) return nullptr;
    return guarded([&] { return object_of(Face::exporter().capsule(object->tensor(), {})); });
  }

  static inline PyMethodDef functions[] = {
      {"from_dlpack", method(&from_dlpack), METH_VARARGS | METH_KEYWORDS,
       "from_dlpack(x, /, *, device=None, copy=None)\n--\n\n"
       "An Array that shares the elements of x, an object with __dlpack__ and __dlpack_device__, "
       "or "
       "a capsule,\nor that copies them where that is asked for."},
      {"to_dlpack", &to_dlpack, METH_O,
       "to_dlpack(x, /)\n--\n\nWhat x.__dlpack__() gives, which any consumer knows."},
      {"current_stream", &current_stream, METH_O,
       "current_stream(device, /)\n--\n\n"
       "The handle of the stream on which the calling thread's work on a device is enqueued."},
      {"synchronize", &synchronize, METH_O,
       "synchronize(device, /)\n--\n\nReturns when all work on a device has run."},
      {"ordinal", &ordinal, METH_O,
       "ordinal(device, /)\n--\n\n"
       "The number of the device whose streams the calling thread uses for such memory."},
      {nullptr, nullptr, 0, nullptr}};
  static inline PyModuleDef definition{PyModuleDef_HEAD_INIT,
                                       "dlcert_reference",
                                       "Arrays that keep every rule of DLPack.",
                                       -1,
                                       functions,
                                       nullptr,
                                       nullptr,
                                       nullptr,
                                       nullptr};
};

}  // namespace dlcert::reference::python
