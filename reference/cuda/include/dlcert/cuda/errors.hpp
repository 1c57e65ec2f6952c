// SPDX-License-Identifier: Apache-2.0
//
// What the library throws. The classes bear the names of the Python exceptions that torch.cuda
// raises in their place, and stand to each other as those do. Running out of memory is
// std::bad_alloc.

#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace dlcert::cuda {

/// The base of all of them. The message is one line and names the value at fault. `cause` is the
/// exception that this one was raised from (Python's __cause__), or null.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, std::exception_ptr cause = nullptr)
      : std::runtime_error(message), cause_(std::move(cause)) {}
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;

  [[nodiscard]] const std::exception_ptr& cause() const noexcept { return cause_; }

 private:
  std::exception_ptr cause_;
};

/// The operation cannot be done, or a library that it needs failed.
class RuntimeError : public Error {
 public:
  using Error::Error;
};

/// An argument has the right type and a wrong value.
class ValueError : public Error {
 public:
  using Error::Error;
};

/// An argument has the wrong type.
class TypeError : public Error {
 public:
  using Error::Error;
};

/// What the caller had to make sure of does not hold: an index out of range, a build without GPUs.
class AssertionError : public Error {
 public:
  using Error::Error;
};

/// An element of an empty or shorter list was asked for.
class IndexError : public Error {
 public:
  using Error::Error;
};

/// A Python module that is not installed, or (then with a cause) breaks on import.
class ModuleNotFoundError : public Error {
 public:
  using Error::Error;
};

/// A call that was queued before initialization failed when its turn came; always with a cause.
class DeferredCudaCallError : public Error {
 public:
  DeferredCudaCallError(const std::string& message, std::exception_ptr cause)
      : Error(message, std::move(cause)) {}
};

/// A call of the GPU runtime failed. `code` is the vendor's number (cudaError_t, hipError_t).
class CudaError : public RuntimeError {
 public:
  CudaError(int code, const std::string& message) : RuntimeError(message), code_(code) {}

  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

}  // namespace dlcert::cuda
