// SPDX-License-Identifier: Apache-2.0
#include "areas.hpp"
#include "lifetime/families.hpp"

namespace dlcert {

void register_lifetime_checks(Suite& suite) {
  lifetime::register_deleter_call_checks(suite);
  lifetime::register_after_release_checks(suite);
  lifetime::register_failed_import_checks(suite);
  lifetime::register_opaque_field_checks(suite);
  lifetime::register_exported_memory_checks(suite);
  lifetime::register_independent_export_checks(suite);
  lifetime::register_leak_checks(suite);
  lifetime::register_deleter_function_checks(suite);
  lifetime::register_form_checks(suite);
  lifetime::register_device_work_checks(suite);
}

}  // namespace dlcert
