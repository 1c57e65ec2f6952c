// SPDX-License-Identifier: Apache-2.0

#include "areas.hpp"
#include "devices/families.hpp"

namespace dlcert {

void register_devices_checks(Suite& suite) {
  devices::register_visible_device_checks(suite);
}

}  // namespace dlcert
