// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <fmt/format.h>

#include <utility>

#include "dlcert/tensor/errors.hpp"

namespace dlcert::reference {

/// Throws an Error whose message is the formatted arguments.
template <class... Args>
[[noreturn]] void refuse_as(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(kind, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace dlcert::reference
