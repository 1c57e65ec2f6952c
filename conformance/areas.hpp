// SPDX-License-Identifier: Apache-2.0
//
// The areas of the suite. Each adds its checks when asked: nothing registers itself, so nothing is
// dropped by a linker.
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert {

void register_abi_checks(Suite& suite);
void register_lifetime_checks(Suite& suite);
void register_capsule_checks(Suite& suite);
void register_sharing_checks(Suite& suite);
void register_protocol_checks(Suite& suite);
void register_stream_checks(Suite& suite);
void register_exchange_api_checks(Suite& suite);
void register_devices_checks(Suite& suite);
void register_runtime_checks(Suite& suite);
void register_telemetry_checks(Suite& suite);

}  // namespace dlcert
