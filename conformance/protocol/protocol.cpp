// SPDX-License-Identifier: Apache-2.0

#include "areas.hpp"
#include "protocol/families.hpp"

namespace dlcert {

void register_protocol_checks(Suite& suite) {
  protocol::register_device_checks(suite);
  protocol::register_device_request_checks(suite);
  protocol::register_version_request_checks(suite);
  protocol::register_copy_request_checks(suite);
  protocol::register_export_failure_checks(suite);
  protocol::register_exchange_scope_checks(suite);
  protocol::register_import_checks(suite);
  protocol::register_import_error_checks(suite);
  protocol::register_import_version_checks(suite);
  protocol::register_import_copy_checks(suite);
  protocol::register_torch_checks(suite);
  protocol::register_device_memory_checks(suite);
}

}  // namespace dlcert
