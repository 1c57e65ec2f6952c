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
};

/// The one exception of the library. The message is one line, in lower case, and names the value.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace dlcert::reference
