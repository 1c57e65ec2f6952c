// SPDX-License-Identifier: Apache-2.0
#include "areas.hpp"
#include "sharing/families.hpp"

namespace dlcert {

void register_sharing_checks(Suite& suite) {
  sharing::register_zero_copy_checks(suite);
  sharing::register_mutation_checks(suite);
  sharing::register_source_checks(suite);
  sharing::register_copy_checks(suite);
  sharing::register_read_only_checks(suite);
  sharing::register_descriptor_checks(suite);
  sharing::register_device_memory_checks(suite);
}

}  // namespace dlcert
