// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlcert/check.hpp>

namespace dlcert::devices {

void register_visible_device_checks(Suite& suite);

}  // namespace dlcert::devices
