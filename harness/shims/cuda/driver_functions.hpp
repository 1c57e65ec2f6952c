// SPDX-License-Identifier: Apache-2.0
//
// The functions of CUDA's driver API, which a program may ask the runtime for by name.

#pragma once

#include "shims/common/shim.hpp"

namespace dlcert::shim {

struct DriverFunction {
  void* function = nullptr;  ///< NULL when it is not found
  int result = 1;            ///< a number of cudaDriverEntryPointQueryResult: not found
};

/// What the libcuda that lies beside this library answers to cuGetProcAddress; where none does,
/// nothing is found. `flags` as there.
Status find_driver_function(const char* name, int version, unsigned long long flags,
                            DriverFunction& out);

}  // namespace dlcert::shim
