// SPDX-License-Identifier: Apache-2.0
//
// Deleters that are called when the interpreter of their library is gone.

#include <memory>
#include <string>

#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/environment.hpp"
#include "testbench/python.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(interpreter_end)

namespace {

using testbench::ChildEnd;
using testbench::exporting_in_python;

constexpr double seconds = 20;

// Ends the interpreter while an export is held, and releases that where it is told to. Nothing of
// the library may be called behind that, so the tensor stays; the process ends anyway.
std::string outlive_the_interpreter(Case& c, const TensorSpec& spec, bool release) {
  const auto* const source = std::make_unique<Source>(make_source(c, spec)).release();
  const dlcert_managed managed = export_either(c, source->tensor).give_up();
  const auto ended = Python{c.producer}.finalize();
  if (!ended.ok()) return "not ended";
  if (release) testbench::call_deleter(managed);
  return "ended";
}

Check in_a_process_of_its_own(Check check) {
  check.isolation = Isolation::process_per_case;
  return check;
}

DLCERT_CHECK(deleter_outlives_the_interpreter,
             if_touched(in_a_process_of_its_own(
                 producer_check("lifetime.deleter.after-finalize",
                                "a deleter that is called behind the interpreter's end returns",
                                exporting_in_python, 1)))) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.producer);
  const ChildEnd control =
      testbench::in_forked_child([&] { return outlive_the_interpreter(c, spec, false); }, seconds);
  if (!control.answered) throw Declined{"the process does not survive its interpreter's end"};
  if (control.answer != "ended") throw Declined{"the interpreter could not be ended"};
  c.touched();
  const ChildEnd end =
      testbench::in_forked_child([&] { return outlive_the_interpreter(c, spec, true); }, seconds);
  expect(end.answered,
         "a deleter behind the interpreter's end: expected its return but the process {}",
         end.death);
}

}  // namespace
}  // namespace dlcert::lifetime
