// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "dlcert/python/arguments.hpp"
#include "dlcert/python/capsules.hpp"
#include "dlcert/python/errors.hpp"
#include "dlcert/tensor/import_steps.hpp"

namespace dlcert::reference::python {

/// What `__dlpack__` of an object gives for a request, by keywords alone.
[[nodiscard]] Exported exported_by_method(PyObject* object, const ExportRequest& request);

/// What a table makes of an object of its type. Whatever fails is Raised.
[[nodiscard]] Exported exported_by_table(const DLPackExchangeAPI& table, PyObject* object);

/// An object of Python's as reference/tensor imports from it: through the exchange table of its
/// type where that serves the request, else by `__dlpack__`.
template <class Face>
class Producer final : public DlpackObject {
 public:
  /// Borrowed.
  explicit Producer(PyObject* object) noexcept : object_(object) {}

  DLDevice dlpack_device() override {
    device_ = python::device_of(
        checked(PyObject_CallMethod(object_, "__dlpack_device__", nullptr)).get());
    return device_;
  }

  Exported dlpack(const ExportRequest& request) override {
    PyErr_Clear();  // of the request before, with arguments that the object does not know
    if (const DLPackExchangeAPI* const table = table_for(request))
      return exported_by_table(*table, object_);
    return exported_by_method(object_, request);
  }

 private:
  [[nodiscard]] const DLPackExchangeAPI* table_for(const ExportRequest& request) const {
    const auto& steps = Face::tables();
    return steps.serves(device_, request) ? steps.readable(steps.published_for(object_)) : nullptr;
  }

  PyObject* object_;
  DLDevice device_ = cpu_device;
};

}  // namespace dlcert::reference::python
