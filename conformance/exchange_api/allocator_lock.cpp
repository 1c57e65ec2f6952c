// SPDX-License-Identifier: Apache-2.0
//
// The allocator and the interpreter's lock, which its callers may not have.

#include <string>

#include "exchange_api/support.hpp"
#include "registration.hpp"
#include "testbench/environment.hpp"
#include "testbench/python.hpp"
#include "testbench/threads.hpp"

namespace dlcert::exchange_api {

DLCERT_FAMILY(allocator_lock)

namespace {

constexpr double seconds = 20;

Check in_a_process_of_its_own(Check check) {
  check.isolation = Isolation::process_per_case;
  return check;
}

// The rows: an allocation that should succeed, and one that should not.
constexpr std::size_t outcomes = 2;

std::string allocate_on_a_thread(const Table& table, DLTensor& prototype) {
  std::string outcome;
  testbench::on_new_thread([&] {
    Allocation allocation{table, prototype};
    outcome = allocation.ok() ? "allocated" : "refused";
    if (allocation.ok()) allocation.take().release();
  });
  return outcome;
}

DLCERT_CHECK(allocator_is_called_without_the_lock,
             in_a_process_of_its_own(consumer_check(
                 "exchange.alloc.gil",
                 "what becomes of an allocation without the interpreter's lock is recorded",
                 publishing | Can::python, outcomes)),
             in_a_process_of_its_own(producer_check(
                 "exchange.alloc.gil",
                 "what becomes of an allocation without the interpreter's lock is recorded",
                 publishing | Can::python, outcomes))) {
  PrototypeOf prototype{draw_simple_spec(c.draw, c.subject())};
  if (c.row == 1) prototype.tensor.dtype = {200, 8, 1};
  const Table table = Table{c.subject()}.without_lock();
  const testbench::ChildEnd end = testbench::in_forked_child(
      [&] { return allocate_on_a_thread(table, prototype.tensor); }, seconds);
  c.observe(end.answered ? "the call returned" : "the process ended");
  expect(end.answered || c.settings.policy("exchange-allocator-gil") == "record",
         "an allocation without the interpreter's lock: expected its return but the process {}",
         end.death);
}

}  // namespace
}  // namespace dlcert::exchange_api
