// SPDX-License-Identifier: Apache-2.0
//
// As what the library counts as built. PyTorch decides these things when it is compiled and
// installed; here they are settings, so that one binary can stand for every build.

#pragma once

#include <string>

#include "dlcert/driver/status.hpp"

namespace dlcert::cuda {

/// The Python module of the vendor's management library: pynvml or amdsmi.
enum class ManagementModule : unsigned char {
  present,
  missing,  ///< not installed
  broken,   ///< installed, but its import fails
};

struct Build {
  bool gpu = true;               ///< compiled with support for GPUs
  bool runtime_bindings = true;  ///< compiled with bindings of the GPU runtime (cudart)
  bool magma = false;            ///< compiled with MAGMA
  bool triton = true;            ///< Triton, which the sparse kernels need, can be found
  bool deploy = false;           ///< runs under torch::deploy
  driver::Vendor vendor = driver::Vendor::cuda;
  ManagementModule management_module = ManagementModule::present;
  /// What code was generated for, as "sm_70 sm_80 compute_80"; may be empty.
  std::string architecture_flags{};
};

}  // namespace dlcert::cuda
