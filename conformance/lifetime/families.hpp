// SPDX-License-Identifier: Apache-2.0
//
// The families of lifetime checks, one file each.
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert::lifetime {

void register_deleter_call_checks(Suite& suite);
void register_after_release_checks(Suite& suite);
void register_failed_import_checks(Suite& suite);
void register_opaque_field_checks(Suite& suite);
void register_exported_memory_checks(Suite& suite);
void register_independent_export_checks(Suite& suite);
void register_leak_checks(Suite& suite);
void register_deleter_function_checks(Suite& suite);
void register_form_checks(Suite& suite);
void register_device_work_checks(Suite& suite);

}  // namespace dlcert::lifetime
