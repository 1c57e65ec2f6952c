/* SPDX-License-Identifier: Apache-2.0 */
/* Exits with 0 if the facts of a dlpack.h of the 0.x line name what that header names, and nothing
 * more. */
#include "old_dlpack.h"

#include <stdio.h>
#include <string.h>

#include <dlcert/dlpack_facts.h>

void fill_in_cxx(dlcert_dlpack_facts* facts); /* old_dlpack.cpp */

static int wrong = 0;

static void expect(const char* what, int code, int32_t expected, int32_t found) {
  if (expected == found) return;
  printf("%s %d: expected %d but found %d\n", what, code, (int)expected, (int)found);
  wrong = 1;
}

/* Since which 0.x the header names each code; 0: never. */
static const int device_since[DLCERT_DEVICE_CODES] = {0, 2, 2, 2, 2, 0, 0, 3, 2,
                                                      2, 2, 6, 4, 6, 7, 7, 7};
static const int dtype_since[DLCERT_DTYPE_CODES] = {2, 2, 2, 4, 3, 4, 8};

static int32_t expected_code(int code, int since) {
  return since != 0 && OLD >= since ? code : DLCERT_FACT_UNKNOWN;
}

int main(void) {
  dlcert_dlpack_facts facts, in_cxx;
  int code;
  memset(&facts, 0, sizeof facts);
  memset(&in_cxx, 0, sizeof in_cxx);
  dlcert_fill_dlpack_facts(&facts);
  fill_in_cxx(&in_cxx);
  expect("C and C++", 0, 0, memcmp(&facts, &in_cxx, sizeof facts));
  for (code = 0; code < DLCERT_DEVICE_CODES; ++code)
    expect("device", code, expected_code(code, device_since[code]), facts.device_codes[code]);
  for (code = 0; code < DLCERT_DTYPE_CODES; ++code)
    expect("dtype", code, expected_code(code, dtype_since[code]), facts.dtype_codes[code]);
  expect("major version", 0, DLCERT_FACT_UNKNOWN, facts.major_version);
  expect("bytes of DLManagedTensorVersioned", 0, DLCERT_FACT_UNKNOWN, facts.versioned_bytes);
  expect("DLPACK_VERSION", 0, DLPACK_VERSION, facts.legacy_version);
  expect("offset of the device", 0, (int32_t)sizeof(void*), facts.tensor_device_offset);
  return wrong;
}
