// SPDX-License-Identifier: Apache-2.0
//
// The families of protocol checks, one file each.
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert::protocol {

// producers
void register_device_checks(Suite& suite);
void register_device_request_checks(Suite& suite);
void register_version_request_checks(Suite& suite);
void register_copy_request_checks(Suite& suite);
void register_export_failure_checks(Suite& suite);
void register_exchange_scope_checks(Suite& suite);  // both roles
// consumers
void register_import_checks(Suite& suite);
void register_import_error_checks(Suite& suite);
void register_import_version_checks(Suite& suite);
void register_import_copy_checks(Suite& suite);
// the torch profile
void register_torch_checks(Suite& suite);
void register_device_memory_checks(Suite& suite);

}  // namespace dlcert::protocol
