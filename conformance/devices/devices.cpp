// SPDX-License-Identifier: Apache-2.0

#include "areas.hpp"
#include "devices/families.hpp"

namespace dlcert {

void register_devices_checks(Suite& suite) {
  devices::register_device_argument_checks(suite);
  devices::register_device_id_checks(suite);
  devices::register_property_checks(suite);
  devices::register_visible_device_checks(suite);
  devices::register_visible_value_checks(suite);
  devices::register_uuid_checks(suite);
  devices::register_count_checks(suite);
  devices::register_count_failure_checks(suite);
  devices::register_management_index_checks(suite);
}

}  // namespace dlcert
