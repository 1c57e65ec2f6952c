// SPDX-License-Identifier: Apache-2.0

#include "dlcert/python/steps.hpp"

namespace dlcert::reference::python {

const DLPackExchangeAPIHeader* TableSteps::published_for(PyObject* object) noexcept {
  const Owned members(
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__dict__"));
  const Owned capsule(members ? PyMapping_GetItemString(members.get(), table_attribute) : nullptr);
  PyErr_Clear();
  if (PyCapsule_IsValid(capsule.get(), table_capsule) == 0) return nullptr;
  return static_cast<const DLPackExchangeAPIHeader*>(
      PyCapsule_GetPointer(capsule.get(), table_capsule));
}

const DLPackExchangeAPI* TableSteps::readable(const DLPackExchangeAPIHeader* newest) noexcept {
  const DLPackExchangeAPIHeader* header = newest;
  while (header != nullptr && !ImportSteps::knows_layout_of(header->version))
    header = header->prev_api;
  return reinterpret_cast<const DLPackExchangeAPI*>(header);  // its first member
}

}  // namespace dlcert::reference::python
