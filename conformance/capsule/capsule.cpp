// SPDX-License-Identifier: Apache-2.0

#include "areas.hpp"
#include "capsule/families.hpp"

namespace dlcert {

void register_capsule_checks(Suite& suite) {
  capsule::register_name_checks(suite);
  capsule::register_destructor_checks(suite);
  capsule::register_consumption_checks(suite);
  capsule::register_refusal_checks(suite);
}

}  // namespace dlcert
