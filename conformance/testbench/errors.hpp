// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <dlcert/suite/party.hpp>

namespace dlcert::testbench {

// Whether the error has this kind. Any refusal has where the library's kinds are its own.
bool kind_is(const Party& party, const Error& error, dlcert_error_kind kind);
// Fails the case unless it has. `what` names the error.
void expect_kind(const Party& party, const Error& error, dlcert_error_kind kind,
                 std::string_view what);

}  // namespace dlcert::testbench
