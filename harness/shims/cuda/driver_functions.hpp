// SPDX-License-Identifier: Apache-2.0
//
// The functions of CUDA's driver API that a program may ask the runtime for by name.

#pragma once

#include <string_view>

namespace dlcert::shim {

struct DriverFunction {
  std::string_view name;  ///< without the suffix of a version: "cuMemAlloc"
  int version = 0;        ///< of CUDA, in which the name came: 2000
  int (*function)() = nullptr;
};

/// NULL for what the driver API does not have. There is no libcuda here: each function exists, is
/// named as not modelled when it is called, and answers not-supported.
const DriverFunction* find_driver_function(std::string_view name);

}  // namespace dlcert::shim
