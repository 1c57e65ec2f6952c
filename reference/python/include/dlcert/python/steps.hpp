// SPDX-License-Identifier: Apache-2.0
//
// What a library in Python decides beside what reference/tensor does, one thing at a time. A Face
// (face.hpp) has these steps, or others of the same names.

#pragma once

#include <exception>
#include <utility>

#include "dlcert/python/capsules.hpp"
#include "dlcert/python/errors.hpp"
#include "dlcert/tensor/exchange_steps.hpp"
#include "dlcert/tensor/import_steps.hpp"

namespace dlcert::reference::python {

/// Where a type publishes its exchange table (dlpack.h, DLPackExchangeAPI).
inline constexpr char table_attribute[] = "__dlpack_c_exchange_api__";
inline constexpr char table_capsule[] = "dlpack_exchange_api";

/// What an importer decides of another library's exchange table.
struct TableSteps {
  /// A table says nothing of devices and copies, and orders nothing.
  static bool serves(DLDevice source, const ExportRequest& request) noexcept {
    return same_device(source, cpu_device) && !is_given(request.dl_device) &&
           !is_given(request.copy);
  }
  /// The table that the object's very type publishes: a subclass may export otherwise. NULL where
  /// there is none.
  static const DLPackExchangeAPIHeader* published_for(PyObject* object) noexcept;
  /// The newest of a table and of those before it whose layout this library knows; NULL where there
  /// is none. Of the others only the header is read.
  static const DLPackExchangeAPI* readable(const DLPackExchangeAPIHeader* newest) noexcept;
};

/// An import from a capsule of Python's.
struct PythonImportSteps : ImportSteps {
  static void mark_used(Capsule& capsule, Form form) noexcept {
    ImportSteps::mark_used(capsule, form);
    copy_name(capsule);
  }
};

/// The functions of a table whose callers look for Python's error.
struct PythonExchangeSteps : ExchangeSteps {
  static void leave(std::exception_ptr error) noexcept {
    try {
      std::rethrow_exception(std::move(error));
    } catch (...) {
      raise_current_exception();
    }
  }
};

}  // namespace dlcert::reference::python
