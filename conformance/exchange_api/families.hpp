// SPDX-License-Identifier: Apache-2.0
//
// The families of checks of the exchange table, one file each.
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert::exchange_api {

void register_table_checks(Suite& suite);
void register_outcome_checks(Suite& suite);
void register_allocator_checks(Suite& suite);
void register_from_object_checks(Suite& suite);
void register_view_checks(Suite& suite);
void register_to_object_checks(Suite& suite);
void register_stream_checks(Suite& suite);
void register_no_sync_checks(Suite& suite);

}  // namespace dlcert::exchange_api
