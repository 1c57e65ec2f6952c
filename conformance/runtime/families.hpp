// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlcert/check.hpp>

namespace dlcert::runtime {

void register_initialization_checks(Suite& suite);

}  // namespace dlcert::runtime
