// SPDX-License-Identifier: Apache-2.0
//
// Reads of a library's structures while one of its failures is described: they may lie anywhere.
#pragma once

#include <cstddef>
#include <optional>

namespace dlcert {

// False where not all of it can be read; `to` is undefined then.
bool read_if_there(const void* from, void* to, std::size_t size);

template <typename Struct>
std::optional<Struct> read_struct(const void* from) {
  Struct value;
  if (!read_if_there(from, &value, sizeof(value))) return std::nullopt;
  return value;
}

}  // namespace dlcert
