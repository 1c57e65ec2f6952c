// SPDX-License-Identifier: Apache-2.0
#include "spy/errors.hpp"

#include <algorithm>
#include <cstring>

namespace dlcert {

namespace {

template <std::size_t N>
void copy_text(const std::string& from, char (&to)[N]) {
  const std::size_t length = std::min(from.size(), N - 1);
  from.copy(to, length);
  to[length] = '\0';
}

}  // namespace

dlcert_status report(const Error& error, dlcert_error* out) {
  if (out != nullptr) {
    out->kind = error.kind;
    out->code = error.code;
    copy_text(error.type, out->type);
    copy_text(error.message, out->message);
  }
  return DLCERT_REFUSED;
}

}  // namespace dlcert
