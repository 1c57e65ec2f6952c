// SPDX-License-Identifier: Apache-2.0
#include "testbench/errors.hpp"

namespace dlcert::testbench {

bool kind_is(const Party& party, const Error& error, dlcert_error_kind kind) {
  return !party.declares(DLCERT_FAITHFUL_ERRORS) || error.kind == kind;
}

void expect_kind(const Party& party, const Error& error, dlcert_error_kind kind,
                 std::string_view what) {
  if (!kind_is(party, error, kind)) [[unlikely]]
    fail_equal(what, error_kind_name(kind), to_text(error),
               {.by = Judgement::By::kind, .expected = error_kind_name(kind)});
}

bool tells_cause(Case& c, const Error& error) {
  const bool tells = error.cause != DLCERT_CAUSE_NOT_TOLD;
  touched_if(c, tells, "the adapter tells no causes of errors");
  return tells;
}

void expect_cause(const Error& error, std::string_view what) {
  expect(error.cause != DLCERT_CAUSE_NONE, "{}: expected a cause but \"{}\" has none", what,
         to_text(error));
}

void touched_if(Case& c, bool control_was_taken, std::string_view why) {
  if (control_was_taken) return c.touched();
  c.declined(why);
}

}  // namespace dlcert::testbench
