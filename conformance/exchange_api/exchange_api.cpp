// SPDX-License-Identifier: Apache-2.0

#include "areas.hpp"
#include "exchange_api/families.hpp"

namespace dlcert {

void register_exchange_api_checks(Suite& suite) {
  exchange_api::register_table_checks(suite);
  exchange_api::register_outcome_checks(suite);
  exchange_api::register_allocator_checks(suite);
  exchange_api::register_from_object_checks(suite);
  exchange_api::register_view_checks(suite);
  exchange_api::register_to_object_checks(suite);
  exchange_api::register_stream_checks(suite);
  exchange_api::register_no_sync_checks(suite);
}

}  // namespace dlcert
