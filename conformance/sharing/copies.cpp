// SPDX-License-Identifier: Apache-2.0
//
// Copies that a producer makes for an exchange: its own memory, for the consumer alone.
#include "registration.hpp"
#include "sharing/support.hpp"
#include "testbench/heap.hpp"

namespace dlcert::sharing {

DLCERT_FAMILY(copies)

namespace {

using testbench::expect_no_growth;
using testbench::export_or_skip;
using testbench::make_source;
using testbench::Wrapping;
using testbench::wrappings;

dlcert_request copy_request() {
  dlcert_request request = request_version(own_version.major, own_version.minor);
  request.copy = boolean(true);
  return request;
}

Exported export_copy(Case& c, const Tensor& tensor) {
  return export_or_skip(c, tensor, copy_request(), "copies on request");
}

// ---- ownership ----------------------------------------------------------------------------------

DLCERT_CHECK(
    copy_goes_back_to_the_producer,
    if_touched(producer_check("sharing.producer-owns",
                              "a copy made for an export goes back to its library with the deleter",
                              exporting | Can::live_allocations))) {
  const std::int64_t before = testbench::live_allocations(c.producer);
  Source source = draw_source(c, {.read_only = true});
  const std::int64_t with_source = testbench::live_allocations(c.producer);
  Exported exported = export_copy(c, source.tensor);
  testbench::touched_if_counted(c, with_source);
  if (c.draw.flip()) source.tensor.release();
  expect_describes(exported.managed(), source.spec, source.logical);
  exported.release();
  source.tensor.release();
  testbench::expect_none_left("live allocations", before, c.producer);
}

DLCERT_CHECK(copies_do_not_grow_the_heap,
             producer_check("sharing.producer-owns",
                            "thousands of copies and releases do not grow the heap", exporting,
                            1)) {
  const Source source = make_source(c, draw_simple_spec(c.draw, c.producer));
  owned_by("lifetime.deleter.frees-self", [&] {
    expect_no_growth("copies and releases", 2'000, [&] {
      for (const Wrapping wrapping : wrappings(c.producer))
        if (!export_by(wrapping, c.producer, source.tensor, copy_request()).ok())
          throw NotClaimed{"copies on request"};
    });
  });
}

// ---- exclusiveness ------------------------------------------------------------------------------

// An export that says that it is a copy, on request or not.
Exported export_flagged(Case& c, const Tensor& tensor) {
  dlcert_request request = copy_request();
  if (!c.draw.flip()) request.copy = absent();
  Exported exported = export_or_skip(c, tensor, request, "this export");
  if (!says_copied(exported.managed())) throw NotClaimed{"exports that say that they are copies"};
  return exported;
}

// A copy that does not hold its source's elements, or is too short for them, shows nothing of who
// else uses it: protocol.copy.true and protocol.export.values.
void require_elements(const Exported& copy, const Source& source) {
  if (!testbench::gathers(copy.managed(), source.logical))
    throw Declined{"copies do not have the elements of their source"};
}

DLCERT_CHECK(copy_is_the_consumers_alone,
             if_touched(producer_check(
                 "sharing.copied-is-exclusive",
                 "writes to an export with the copied bit reach neither source nor other copies",
                 exporting | Can::read))) {
  const Source source = draw_source(c, writable_view);
  const Exported one = export_flagged(c, source.tensor);
  const Exported two = export_flagged(c, source.tensor);
  const Bytes changed = different_logical(source.spec, source.logical);
  if ((one.managed().flags() & DLPACK_FLAG_BITMASK_READ_ONLY) != 0)
    throw Declined{"copies are read-only"};
  require_elements(one, source);
  require_elements(two, source);
  c.touched();
  write_exported(one.managed(), changed);
  expect_equal("elements of the source after a write to a copy", source.logical,
               read_all(c.producer, source.tensor, source.spec));
  expect_equal("elements of a copy after a write to another", source.logical,
               gather_exported(two.managed()));
}

DLCERT_CHECK(source_leaves_its_copies_alone,
             producer_check("sharing.copied-is-exclusive",
                            "writes to the source do not reach an export with the copied bit",
                            exporting | Can::write)) {
  const Source source = draw_source(c, writable_view);
  const Exported copy = export_flagged(c, source.tensor);
  require_elements(copy, source);
  write_all(c.producer, source.tensor, different_logical(source.spec, source.logical));
  expect_equal("elements of a copy after a write to its source", source.logical,
               gather_exported(copy.managed()));
}

// ---- import -------------------------------------------------------------------------------------

void say_copied(Descriptor& descriptor) {
  descriptor.flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
}

DLCERT_CHECK(copied_tensor_may_be_written,
             if_touched(consumer_check(
                 "sharing.copied-mutable",
                 "a tensor with the copied bit is imported and, where the library allows, written",
                 importing | Can::write))) {
  const DrawnOffer drawn = draw_versioned_offer(c, {.shape = with_elements}, say_copied);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  expect_holds(c.consumer, import.tensor(), drawn.spec, drawn.logical);
  const Bytes changed = different_logical(drawn.spec, drawn.logical);
  if (c.consumer.write(import.tensor(), changed).ok()) {
    c.observe("writable");
    expect_equal("elements after a write", changed,
                 read_all(c.consumer, import.tensor(), drawn.spec));
    c.touched();
  } else {
    c.declined("not writable");
  }
  import.finish();
  expect_deleted_once(*drawn.offer);
}

}  // namespace
}  // namespace dlcert::sharing
