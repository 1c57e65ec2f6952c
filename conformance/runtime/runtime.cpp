// SPDX-License-Identifier: Apache-2.0

#include "runtime/families.hpp"

#include "areas.hpp"

namespace dlcert {

void register_runtime_checks(Suite& suite) {
  runtime::register_initialization_checks(suite);
}

}  // namespace dlcert
