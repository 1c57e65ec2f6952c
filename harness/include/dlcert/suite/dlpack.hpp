// SPDX-License-Identifier: Apache-2.0
//
// The official dlpack.h, for the suite and the harness. Adapters do not include this header: each
// brings its library's own dlpack.h.
#pragma once

#include <dlpack/dlpack.h>

static_assert(DLPACK_MAJOR_VERSION == 1 && DLPACK_MINOR_VERSION >= 3,
              "dlcert needs dlpack.h 1.3 or newer of major 1");
