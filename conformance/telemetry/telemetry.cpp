// SPDX-License-Identifier: Apache-2.0

#include "areas.hpp"
#include "telemetry/families.hpp"

namespace dlcert {

void register_telemetry_checks(Suite& suite) {
  telemetry::register_measurement_checks(suite);
  telemetry::register_mapping_checks(suite);
  telemetry::register_failure_checks(suite);
}

}  // namespace dlcert
