// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert::stream {

void register_ordering_checks(Suite& suite);
void register_restraint_checks(Suite& suite);
void register_value_checks(Suite& suite);
void register_capture_checks(Suite& suite);
void register_consumer_checks(Suite& suite);

}  // namespace dlcert::stream
