// SPDX-License-Identifier: Apache-2.0

#include "dlcert/python/producer.hpp"

namespace dlcert::reference::python {
namespace {

void add(const Owned& keywords, const char* name, const Argument& argument) {
  if (std::holds_alternative<Absent>(argument)) return;
  checked(PyDict_SetItemString(keywords.get(), name, object_of(argument).get()));
}

}  // namespace

Exported exported_by_method(PyObject* object, const ExportRequest& request) {
  const Owned method = checked(PyObject_GetAttrString(object, "__dlpack__"));
  const Owned nothing = checked(PyTuple_New(0));
  const Owned keywords = checked(PyDict_New());
  add(keywords, "stream", request.stream);
  add(keywords, "max_version", request.max_version);
  add(keywords, "dl_device", request.dl_device);
  add(keywords, "copy", request.copy);
  return capsule_of(checked(PyObject_Call(method.get(), nothing.get(), keywords.get())));
}

Exported exported_by_table(const DLPackExchangeAPI& table, PyObject* object) {
  DLManagedTensorVersioned* managed = nullptr;
  if (table.managed_tensor_from_py_object_no_sync(object, &managed) == 0 && managed != nullptr)
    return managed;
  if (PyErr_Occurred() == nullptr)
    PyErr_SetString(PyExc_BufferError, "expected a tensor from the exchange table but found none");
  throw Raised();  // no other request would be answered otherwise
}

}  // namespace dlcert::reference::python
