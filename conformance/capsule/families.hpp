// SPDX-License-Identifier: Apache-2.0
//
// The families of capsule checks, one file each.
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert::capsule {

void register_name_checks(Suite& suite);
void register_destructor_checks(Suite& suite);
void register_consumption_checks(Suite& suite);
void register_refusal_checks(Suite& suite);

}  // namespace dlcert::capsule
