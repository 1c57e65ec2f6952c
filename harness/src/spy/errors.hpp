// SPDX-License-Identifier: Apache-2.0
//
// Errors as the harness reports them through the adapter ABI.
#pragma once

#include <string_view>

#include <dlcert/suite/spec.hpp>

namespace dlcert {

// Fills `out` (where it is given) and returns DLCERT_REFUSED.
dlcert_status report(const Error& error, dlcert_error* out);

}  // namespace dlcert
