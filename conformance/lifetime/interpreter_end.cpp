// SPDX-License-Identifier: Apache-2.0
//
// Deleters that are called when the interpreter of their library is gone.

#include <functional>
#include <memory>
#include <string>

#include "generators/device_specs.hpp"
#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/environment.hpp"
#include "testbench/python.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(interpreter_end)

namespace {

using testbench::ChildEnd;
using testbench::DeviceSession;
using testbench::exporting_in_python;

constexpr double seconds = 20;
constexpr const char* not_claimed = "not claimed";

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

// `outlive` ends the interpreter in a process of its own, and releases its export if it is told to.
void expect_survival(Case& c, const std::function<std::string(bool release)>& outlive) {
  const ChildEnd control = testbench::in_forked_child([&] { return outlive(false); }, seconds);
  if (!control.answered) throw Declined{"the process does not survive its interpreter's end"};
  if (control.answer == not_claimed) throw NotClaimed{"the drawn tensor"};
  if (control.answer != "ended") throw Declined{"the interpreter could not be ended"};
  c.touched();
  const ChildEnd end = testbench::in_forked_child([&] { return outlive(true); }, seconds);
  expect(end.answered,
         "a deleter behind the interpreter's end: expected its return but the process {}",
         end.death);
}

DLCERT_CHECK(deleter_outlives_the_interpreter,
             if_touched(in_a_process_of_its_own(
                 producer_check("lifetime.deleter.after-finalize",
                                "a deleter that is called behind the interpreter's end returns",
                                exporting_in_python, 1)))) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.producer);
  expect_survival(c, [&](bool release) { return outlive_the_interpreter(c, spec, release); });
}

// A child uses no device that its parent has used.
DLCERT_CHECK(deleter_of_device_memory_outlives_the_interpreter,
             if_touched(on_both_vendors(with_device_tensors(in_a_process_of_its_own(producer_check(
                 "lifetime.deleter.after-finalize",
                 "a deleter of device memory that is called behind the interpreter's end returns",
                 exporting_in_python, 1)))))) {
  expect_survival(c, [&](bool release) -> std::string {
    const DeviceSession session{c};
    const TensorSpec spec =
        draw_device_spec(c.draw, c.producer, session.device(session.draw_device()));
    if (!c.producer.can(spec)) return not_claimed;
    return outlive_the_interpreter(c, spec, release);
  });
}

}  // namespace
}  // namespace dlcert::lifetime
