// SPDX-License-Identifier: Apache-2.0
//
// Code for devices, as the object files that the compilers write register it.

#pragma once

#include <cstddef>

#include "shims/tests/gpu_names.hpp"

#if defined(__HIP_PLATFORM_AMD__)
#define DLCERT_REGISTER(name) __hipRegister##name
#else
#define DLCERT_REGISTER(name) __cudaRegister##name
#endif

// NOLINTBEGIN(bugprone-reserved-identifier): the runtimes' own names
extern "C" {
void** __cudaRegisterFatBinary(void* code);
void __cudaUnregisterFatBinary(void** module);
void DLCERT_REGISTER(Var)(void** module, char* variable, char* on_device, const char* name, int ext,
                          std::size_t bytes, int constant, int global);
void DLCERT_REGISTER(Function)(void** module, const void* function, char* on_device,
                               const char* name, int thread_limit, void* thread, void* block,
                               void* block_extent, void* grid_extent, int* warp_size);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace dlcert::shim {

class RegisteredCode {
 public:
  RegisteredCode() : module_{__cudaRegisterFatBinary(nullptr)} {}
  ~RegisteredCode() { __cudaUnregisterFatBinary(module_); }
  RegisteredCode(const RegisteredCode&) = delete;
  RegisteredCode& operator=(const RegisteredCode&) = delete;

  void add_variable(void* shadow, const char* name, std::size_t bytes) {
    DLCERT_REGISTER(Var)(module_, static_cast<char*>(shadow), nullptr, name, 0, bytes, 0, 0);
  }
  /// `stub` stands for the kernel in calls.
  void add_kernel(const void* stub, const char* name) {
    DLCERT_REGISTER(Function)
    (module_, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  }

 private:
  void** module_;
};

}  // namespace dlcert::shim
