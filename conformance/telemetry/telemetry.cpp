// SPDX-License-Identifier: Apache-2.0

#include "telemetry/families.hpp"

#include "areas.hpp"

namespace dlcert {

void register_telemetry_checks(Suite& suite) {
  telemetry::register_measurement_checks(suite);
}

}  // namespace dlcert
