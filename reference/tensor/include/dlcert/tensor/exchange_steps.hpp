// SPDX-License-Identifier: Apache-2.0
//
// What the functions of an exchange table decide beside exporting and importing, one thing at a
// time. Exchange (exchange.hpp) holds the order.

#pragma once

#include <dlpack/dlpack.h>

#include <exception>
#include <utility>

#include "dlcert/tensor/describe.hpp"
#include "dlcert/tensor/export_steps.hpp"
#include "dlcert/tensor/object.hpp"

namespace dlcert::reference {

/// The function by which an allocator reports a failure to its caller.
using SetError = void (*)(void* context, const char* kind, const char* message);

/// What a prototype asks for.
struct Prototype {
  Dtype dtype;
  Dims shape;
  DLDevice device;
};

struct ExchangeSteps {
  // The allocator.
  /// Reads element type, rank, extents and device, and nothing else. What this library has not is a
  /// buffer error.
  static Prototype read_prototype(const DLTensor& prototype);
  static Tensor allocate(const Prototype& prototype) {
    return Tensor::zeros(prototype.dtype, prototype.shape, prototype.device);
  }

  // The view.
  /// A bare descriptor has no flags, so what needs one is a buffer error.
  static void check_view(const Tensor& tensor) {
    if (tensor.is_read_only() || tensor.dtype().is_padded()) [[unlikely]]
      refuse_view(tensor);
  }
  /// Points into the object and its tensor.
  static DLTensor view(const Object& object) noexcept {
    return descriptor_over(ExportSteps{}, object.tensor(), object.dims());
  }

  // The stream.
  /// NULL for the CPU, which has none; a native handle, where NULL is the null stream, for others.
  /// A device that is not there is a value error.
  static void* work_stream(DLDevice device);

  // Errors.
  /// Reports to the allocator's caller, unless the caller gave no function to report by.
  static void report(SetError set_error, void* context, PythonError error) noexcept {
    if (set_error != nullptr) set_error(context, error.kind, error.message);
  }
  /// Leaves the error in the calling thread, where callers of the other functions look for it.
  static void leave(std::exception_ptr error) noexcept { leave_error(std::move(error)); }

 private:
  [[noreturn]] static void refuse_view(const Tensor& tensor);
};

}  // namespace dlcert::reference
