// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert::devices {

void register_device_argument_checks(Suite& suite);
void register_device_id_checks(Suite& suite);
void register_property_checks(Suite& suite);
void register_visible_device_checks(Suite& suite);
void register_visible_value_checks(Suite& suite);
void register_uuid_checks(Suite& suite);
void register_count_checks(Suite& suite);
void register_count_failure_checks(Suite& suite);
void register_management_index_checks(Suite& suite);

}  // namespace dlcert::devices
