// SPDX-License-Identifier: Apache-2.0
//
// fixtures/vectors/device_strings.json: device arguments and the index that they stand for.
#pragma once

#include <dlcert/adapter.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace dlcert::vectors {

// What an argument stands for in functions of one kind.
struct Meaning {
  std::optional<std::int64_t> index = {};
  bool current = false;                          // the current device
  dlcert_error_kind error = DLCERT_ERROR_OTHER;  // where it stands for nothing
};

struct ArgumentRow {
  std::string id;
  std::string text;         // of a text argument
  dlcert_value argument{};  // its text is not set: see argument_of
  Meaning where_optional;   // in functions that take the current device when there is no index
  Meaning where_required;
};

// As an adapter is given it; valid as long as the row. The device type of the row is that of CUDA:
// on ROCm, which has another one in DLPack, it is that one.
dlcert_value argument_of(const ArgumentRow& row, bool rocm);

// They live as long as the process. Texts with a NUL, which the ABI cannot carry, are left out.
std::span<const ArgumentRow> argument_rows();

}  // namespace dlcert::vectors
