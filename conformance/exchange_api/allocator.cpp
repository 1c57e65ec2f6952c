// SPDX-License-Identifier: Apache-2.0
//
// The allocator: what it reads of a prototype, what it makes, and how it complains.

#include <algorithm>
#include <optional>

#include "exchange_api/devices.hpp"
#include "exchange_api/support.hpp"
#include "registration.hpp"
#include "testbench/failing_allocations.hpp"
#include "testbench/heap.hpp"
#include "testbench/placed.hpp"

namespace dlcert::exchange_api {

DLCERT_FAMILY(allocator)

namespace {

using testbench::expect_gathered;
using testbench::live_allocations;

void expect_like(const TensorSpec& asked, const Managed& made) {
  testbench::expect_dtype(made, asked.dtype, "dtype of the result");
  testbench::expect_shape(made, asked.shape, "shape of the result");
  testbench::expect_device(made, asked.device, "device of the result");
}

// The elements through the descriptor, as one who was given the tensor writes and reads them.
void write_elements(const Managed& made, const Bytes& logical) {
  testbench::write_elements_at(described_spec(made), const_cast<std::byte*>(made.first_element()),
                               logical);
}

// ---- prototypes ---------------------------------------------------------------------------------

// At least one of these fields. An access to what is behind such an address ends the process.
void spoil(Draw& draw, DLTensor& prototype) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of nothing
  auto* const unreadable = reinterpret_cast<std::int64_t*>(std::uintptr_t{16});
  const std::uint64_t fields = 1 + draw.below(7);
  if ((fields & 1) != 0) prototype.data = unreadable;
  if ((fields & 2) != 0) prototype.strides = unreadable;
  if ((fields & 4) != 0) prototype.byte_offset = std::uint64_t{1} << 60;
}

DLCERT_CHECK(other_fields_are_ignored,
             producer_check("exchange.alloc.prototype-fields",
                            "data, strides and offset of a prototype are not looked at",
                            publishing)) {
  const Table table{c.producer};
  const TensorSpec asked = draw_asked(c);
  PrototypeOf prototype{asked};
  allocate(table, prototype).release();  // it has such a tensor
  spoil(c.draw, prototype.tensor);
  Allocation allocation{table, prototype.tensor};
  expect(allocation.ok(),
         "the allocator, with other values in fields that say nothing: expected 0 as before but "
         "found {} and {}",
         allocation.code(), allocation.reported().last);
  const Managed made = allocation.take();
  expect_like(asked, made);
  const Bytes logical = draw_logical(c.draw, asked);
  write_elements(made, logical);
  expect_gathered(made, logical);
}

DLCERT_CHECK(prototypes_device_is_used,
             on_both_vendors(producer_check("exchange.alloc.prototype-fields",
                                            "the result is on the device of the prototype",
                                            publishing))) {
  const testbench::DeviceSession session{c};
  const Table table{c.producer};
  const TensorSpec asked = draw_spec_on(c, draw_device(c, session));
  PrototypeOf prototype{asked};
  const Managed made = allocate(table, prototype);
  expect_like(asked, made);
}

// ---- results ------------------------------------------------------------------------------------

DLCERT_CHECK_ALSO_ON_DEVICES(
    result_is_a_tensor_of_its_own,
    producer_check("exchange.alloc.result",
                   "each allocation is a tensor of its own until its deleter runs", publishing)) {
  const Table table{c.producer};
  const TensorSpec asked = draw_asked(c, {.empty = false});
  const std::int64_t before = live_allocations(c.producer);
  PrototypeOf prototype{asked};
  Managed first = allocate(table, prototype);
  Managed second = allocate(table, prototype);
  std::ranges::fill(prototype.shape, -1);  // the prototype is the caller's, and gone
  const Bytes logical = draw_logical(c.draw, asked);
  write_elements(first, logical);
  write_elements(second, different_logical(asked, logical));
  expect_describes(first, asked, logical);
  first.release();
  expect_describes(second, asked, different_logical(asked, logical));
  second.release();
  testbench::expect_none_left("live allocations when the results are released", before, c.producer);
}

// ---- errors -------------------------------------------------------------------------------------

void expect_complaint(Case& c, const Allocation& allocation) {
  const ReportedErrors& told = allocation.reported();
  if (allocation.ok()) {
    c.declined("allocated");
    return expect_equal("calls of SetError after success", 0, told.calls);
  }
  c.observe("failed");
  c.touched();
  expect(told.calls >= 1, "calls of SetError after {}: expected at least 1 but found 0",
         allocation.code());
  if (told.calls > 1) c.observe("SetError called more than once");
  expect_equal("calls of SetError with another context", 0, told.with_another_context);
  expect_equal("calls of SetError without kind or message", 0, told.without_text);
}

DLCERT_CHECK(strange_prototype_is_complained_of,
             if_touched(producer_check(
                 "exchange.alloc.set-error",
                 "the allocator calls SetError when it has no such tensor, and only then",
                 publishing))) {
  PrototypeOf prototype{draw_asked(c)};
  draw_strangeness(c.draw, prototype);
  Allocation allocation{Table{c.producer}, prototype.tensor};
  if (allocation.ok()) allocation.take().release();
  expect_complaint(c, allocation);
}

DLCERT_CHECK(missing_memory_is_complained_of,
             if_touched(producer_check(
                 "exchange.alloc.set-error",
                 "the allocator calls SetError when it runs out of memory, and only then",
                 publishing | Can::fail_allocation))) {
  PrototypeOf prototype{draw_asked(c)};
  const Table table{c.producer};
  std::optional<testbench::FailingAllocations> failing{std::in_place, c.producer,
                                                       c.draw.between(0, 3)};
  Allocation allocation{table, prototype.tensor};
  failing.reset();
  if (allocation.ok()) allocation.take().release();
  expect_complaint(c, allocation);
}

}  // namespace
}  // namespace dlcert::exchange_api
