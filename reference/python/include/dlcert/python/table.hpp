// SPDX-License-Identifier: Apache-2.0
//
// The exchange table of the array type: the functions of reference/tensor, with an array where
// those have an Object.

#pragma once

#include "dlcert/python/array.hpp"
#include "dlcert/tensor/exchange.hpp"

namespace dlcert::reference::python {

/// The functions and the rules of ownership are those of dlpack.h. The allocator touches nothing of
/// Python's.
template <class Face>
struct Table {
  using Functions = ExchangeFunctions<Face>;

  static int from_object(void* array, DLManagedTensorVersioned** out) noexcept {
    Object* const object = Array<Face>::object_behind(static_cast<PyObject*>(array));
    return object != nullptr ? Functions::from_object(object, out) : -1;
  }

  static int to_object(DLManagedTensorVersioned* managed, void** out) noexcept {
    Owned array(guarded([] { return Array<Face>::room(); }));
    void* object = nullptr;
    if (!array || Functions::to_object(managed, &object) != 0) return -1;
    Array<Face>::fill(array, static_cast<Object*>(object));
    *out = array.give();
    return 0;
  }

  static int view(void* array, DLTensor* out) noexcept {
    Object* const object = Array<Face>::object_behind(static_cast<PyObject*>(array));
    return object != nullptr ? Functions::view(object, out) : -1;
  }

  /// Lives until the process ends.
  static constexpr DLPackExchangeAPI api{.header = {.version = own_version, .prev_api = nullptr},
                                         .managed_tensor_allocator = &Functions::allocate,
                                         .managed_tensor_from_py_object_no_sync = &from_object,
                                         .managed_tensor_to_py_object_no_sync = &to_object,
                                         .dltensor_from_py_object_no_sync = &view,
                                         .current_work_stream = &Functions::work_stream};
};

}  // namespace dlcert::reference::python
