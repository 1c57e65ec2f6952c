// SPDX-License-Identifier: Apache-2.0

#include "areas.hpp"
#include "stream/families.hpp"

namespace dlcert {

void register_stream_checks(Suite& suite) {
  stream::register_ordering_checks(suite);
  stream::register_restraint_checks(suite);
  stream::register_value_checks(suite);
  stream::register_capture_checks(suite);
  stream::register_consumer_checks(suite);
}

}  // namespace dlcert
