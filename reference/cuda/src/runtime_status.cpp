// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/runtime_status.hpp"

#include <fmt/format.h>

#include "dlcert/cuda/errors.hpp"
#include "dlcert/driver/select.hpp"

namespace dlcert::cuda {

std::string describe(driver::Status status) {
  return fmt::format("{} ({})", driver::status_text(driver::driver().vendor(), status),
                     static_cast<int>(status));
}

std::string too_old_driver(driver::Vendor vendor, int version) {
  return fmt::format("The {} driver on your system is too old (found version {})",
                     vendor == driver::Vendor::cuda ? "NVIDIA" : "AMD", version);
}

void check_error(int code) {
  check(static_cast<driver::Status>(code));
}

void check(driver::Status status) {
  if (status != driver::Status::success)
    throw CudaError(static_cast<int>(status), describe(status));
}

}  // namespace dlcert::cuda
