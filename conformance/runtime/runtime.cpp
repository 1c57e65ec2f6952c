// SPDX-License-Identifier: Apache-2.0

#include "areas.hpp"
#include "runtime/families.hpp"

namespace dlcert {

void register_runtime_checks(Suite& suite) {
  runtime::register_initialization_checks(suite);
  runtime::register_concurrency_checks(suite);
  runtime::register_fork_checks(suite);
  runtime::register_deferred_call_checks(suite);
  runtime::register_seeding_checks(suite);
  runtime::register_availability_checks(suite);
  runtime::register_error_checks(suite);
  runtime::register_guard_checks(suite);
  runtime::register_runtime_stream_checks(suite);
  runtime::register_waiting_checks(suite);
  runtime::register_architecture_checks(suite);
  runtime::register_generator_checks(suite);
  runtime::register_storage_checks(suite);
}

}  // namespace dlcert
