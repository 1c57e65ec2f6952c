// SPDX-License-Identifier: Apache-2.0
//
// Code that a program loads while it runs, as a module or a library. It is not read: it has a
// kernel of every name, and all kernels need the same of a device.

#pragma once

#include <string>

#include "shims/common/shim.hpp"

namespace dlcert::shim {

/// A native handle of a module or a library. NULL is none.
using LoadedCode = void**;

/// A kernel of loaded code; its address is its native handle. It is there as long as the code.
struct LoadedKernel {
  LoadedCode code;
  std::string name;
};

/// A new handle, of what lies at `code` or in the file at `path`. invalid_value for NULL, and
/// file_not_found for a file that cannot be read.
Status load_code(const void* code, LoadedCode& out);
Status load_code_file(const char* path, LoadedCode& out);

/// False when there is no such code: it was unloaded, or never loaded.
bool is_loaded(LoadedCode code);

/// Ends the code and its kernels. False when there is none.
bool unload_code(LoadedCode code);

/// The kernel of that name, the same each time. NULL when there is no such code.
const LoadedKernel* find_loaded_kernel(LoadedCode code, const char* name);

}  // namespace dlcert::shim
