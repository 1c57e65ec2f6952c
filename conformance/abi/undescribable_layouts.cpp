// SPDX-License-Identifier: Apache-2.0
//
// Arrays that no strided buffer of native elements describes, asked as their users ask them.

#include <string>

#include "abi/support.hpp"
#include "registration.hpp"
#include "testbench/python.hpp"
#include "testbench/states.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(undescribable_layouts)

namespace {

using testbench::Borrowed;
using testbench::exporting_in_python;
using testbench::Source;
using testbench::State;

constexpr std::string_view requests[] = {"x.__dlpack__()", "x.__dlpack__(max_version=(1, 3))",
                                         "x.__dlpack__(max_version=(1, 3), copy=True)"};

// Where the array is refused, in whichever way, a plain one is not.
Outcome<Capsule> export_in_some_way(Case& c, const Source& source) {
  return Python{c.producer}.capsule_of(source.tensor, std::string{c.draw.one_of(requests)});
}

void touched_by_refusal(Case& c) {
  c.observe("refused");
  testbench::touched_if_exports_plain(c, testbench::Wrapping::capsule, Form::versioned);
}

// Fails unless what was exported has the values of its source.
void judge(Case& c, const State& state, const Source& source, const Capsule& capsule) {
  c.observe("exported");
  c.touched();
  const auto inside = testbench::managed_inside(capsule);
  expect(inside.has_value(), "capsule name: expected a live name but found {}",
         to_text(capsule.name().value_or("(none)")));
  testbench::expect_values(state, source, *Borrowed{*inside});
}

DLCERT_CHECK(
    byte_swapped_array_is_refused,
    if_touched(producer_check("abi.dtype.nonnative-export-error",
                              "a byte-swapped array raises, or is exported in native order",
                              exporting_in_python))) {
  const State& state = testbench::state_of(DLCERT_STATE_BYTE_SWAPPED);
  const Source source = testbench::make_in_state(c, state);
  auto capsule = export_in_some_way(c, source);
  if (!capsule.ok()) return touched_by_refusal(c);
  judge(c, state, source, capsule.value());
}

}  // namespace
}  // namespace dlcert::abi
