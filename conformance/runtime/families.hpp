// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert::runtime {

void register_initialization_checks(Suite& suite);
void register_concurrency_checks(Suite& suite);
void register_fork_checks(Suite& suite);
void register_deferred_call_checks(Suite& suite);
void register_seeding_checks(Suite& suite);
void register_availability_checks(Suite& suite);
void register_error_checks(Suite& suite);
void register_guard_checks(Suite& suite);
void register_runtime_stream_checks(Suite& suite);
void register_waiting_checks(Suite& suite);
void register_architecture_checks(Suite& suite);
void register_generator_checks(Suite& suite);
void register_storage_checks(Suite& suite);

}  // namespace dlcert::runtime
