/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"

#include <dlpack/dlpack.h>

#include <dlcert/dlpack_facts.h>

const dlcert_dlpack_facts* dlcert_reference_c_facts(void) {
  static dlcert_dlpack_facts facts;
  dlcert_fill_dlpack_facts(&facts);
  return &facts;
}
