// SPDX-License-Identifier: Apache-2.0

#include "dlcert/driver/driver.hpp"

namespace dlcert::driver {

Driver::~Driver() = default;

}  // namespace dlcert::driver
