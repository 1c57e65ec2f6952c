// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert::telemetry {

void register_failure_checks(Suite& suite);
void register_mapping_checks(Suite& suite);
void register_measurement_checks(Suite& suite);

}  // namespace dlcert::telemetry
