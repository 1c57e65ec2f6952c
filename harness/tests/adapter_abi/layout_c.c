/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

/* A translation unit holds at least one declaration. */
typedef int dlcert_layout_checked_as_c;
