// SPDX-License-Identifier: Apache-2.0
//
// The names on the committed list of a library, and for each a weak function that answers
// not-supported: the function of that name in another file, if any, takes its place.

#include "shims/management/calls.h"

#define DLCERT_SYMBOL(name)                                     \
  int name(void) __attribute__((weak, visibility("default")));  \
  int name(void) {                                              \
    struct management_call call;                                \
    uint32_t code = 0;                                          \
    if (!management_begin(&call, #name, false, &code, "...")) { \
      return (int)code;                                         \
    }                                                           \
    return (int)management_end(&call, DLCERT_NOT_SUPPORTED);    \
  }
#include DLCERT_SYMBOLS
#undef DLCERT_SYMBOL

#define DLCERT_SYMBOL(name) #name,
const char* const management_symbols[] = {
#include DLCERT_SYMBOLS
    NULL};
#undef DLCERT_SYMBOL
