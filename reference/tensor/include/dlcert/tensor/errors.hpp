// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string>

namespace dlcert::reference {

/// What went wrong, by the names of the exceptions that a Python library would raise. Running out
/// of memory is std::bad_alloc.
enum class ErrorKind {
  buffer,  ///< the data or the descriptor cannot be exchanged
  value,   ///< an argument has the right type and a wrong value
  type,    ///< an argument has the wrong type
  index,   ///< an axis or an element that does not exist
  device,  ///< a call of the driver failed: a DeviceError
};

/// The one exception of the library. The message is one line, in lower case, and names the value.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// A call of the driver failed.
class DeviceError : public Error {
 public:
  /// `code` is the vendor's number.
  DeviceError(int code, const std::string& message)
      : Error(ErrorKind::device, message), code_(code) {}

  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

}  // namespace dlcert::reference
