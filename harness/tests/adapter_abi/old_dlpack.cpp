// SPDX-License-Identifier: Apache-2.0
#include "old_dlpack.h"

#include <dlcert/dlpack_facts.h>

extern "C" void fill_in_cxx(dlcert_dlpack_facts* facts);

void fill_in_cxx(dlcert_dlpack_facts* facts) {
  dlcert_fill_dlpack_facts(facts);
}
