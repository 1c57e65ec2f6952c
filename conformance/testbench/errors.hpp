// SPDX-License-Identifier: Apache-2.0
//
// Refusals: their kinds, and what they show.
#pragma once

#include <string_view>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/party.hpp>

namespace dlcert::testbench {

// Whether the error has this kind. Any refusal has where the library's kinds are its own.
bool kind_is(const Party& party, const Error& error, dlcert_error_kind kind);
// Fails the case unless it has. `what` names the error.
void expect_kind(const Party& party, const Error& error, dlcert_error_kind kind,
                 std::string_view what);

// Whether an error tells its cause, or that it has none; the rule is met then, else declined. For
// checks with Check::says_touched.
bool tells_cause(Case& c, const Error& error);
// Fails the case if the error tells that it has no cause.
void expect_cause(const Error& error, std::string_view what);

// The rule was met by a refusal where a control was taken that differs from the refused by the rule
// alone; otherwise the case is declined for `why`, of static storage. For checks with
// Check::says_touched.
void touched_if(Case& c, bool control_was_taken, std::string_view why);

}  // namespace dlcert::testbench
