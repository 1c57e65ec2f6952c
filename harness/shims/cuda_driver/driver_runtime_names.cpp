// SPDX-License-Identifier: Apache-2.0
//
// Whose shim this library is.

#include "shims/common/shim.hpp"

namespace dlcert::shim {

const driver::Vendor vendor = driver::Vendor::cuda;
const char* const library = "libcuda";

}  // namespace dlcert::shim
