// SPDX-License-Identifier: Apache-2.0
//
// The argument `copy` of __dlpack__: what a producer copies, and what it refuses.

#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/further_devices.hpp"
#include "testbench/judged_exports.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(copy_request)

namespace {

// Sharing and isolation can be seen on elements only.
constexpr SpecBounds with_elements{.layouts = Layouts::no_overlap, .shape = {.empty = false}};
constexpr SpecBounds writable_elements{
    .layouts = Layouts::no_overlap, .shape = {.empty = false}, .writable = true};

Exported export_copy(Case& c, const Source& source) {
  auto exported = export_tensor(c, source.tensor, with_copy(draw_request(c.draw), true));
  if (exported.ok()) return std::move(exported).value();
  refuse_copy(c, source.spec, exported.error());
}

DLCERT_CHECK(copy_is_elsewhere,
             producer_check("protocol.copy.true",
                            "a copy has the source's values in memory of its own",
                            exporting | Can::describe)) {
  const Source source = draw_source(c, with_elements);
  const Exported copy = export_copy(c, source);
  owned_by("lifetime.memory-valid-until-deleter",
           [&] { expect_gathered(copy.managed(), source.logical); });
  const Description said = require(c.producer.describe(source.tensor), "description of a tensor");
  if (said.data == nullptr) throw NotClaimed{"the address of its data"};
  seen_by([&] { return testbench::judged_sharing(source.tensor, copy.managed(), false); },
          [&] {
            expect(said.data != copy.managed().first_element(),
                   "data of the copy: expected fresh memory but found the source's own");
          });
}

// Its memory, which the host may not read, lies at another address than that of an export which is
// still held.
DLCERT_CHECK(copy_on_a_further_device_is_elsewhere,
             with_device_tensors(producer_check(
                 "protocol.copy.true",
                 "a copy of a tensor on a further device has memory of its own", exporting))) {
  const Source source = testbench::make_on_further_device(c, c.producer);
  const Exported held =
      export_or_skip(c, source.tensor, draw_request(c.draw), "export of this tensor");
  const Exported copy = export_copy(c, source);
  seen_by([&] { return testbench::judged_sharing(held.managed(), copy.managed(), false); },
          [&] {
            expect(held.managed().first_element() != copy.managed().first_element(),
                   "data of the copy: expected fresh memory but found that of another export");
          });
}

DLCERT_CHECK(copy_does_not_see_writes_to_the_source,
             producer_check("protocol.copy.true", "a copy does not see writes to the source",
                            exporting | Can::write)) {
  const Source source = draw_source(c, writable_elements);
  const Exported copy = export_copy(c, source);
  require(c.producer.write(source.tensor, different_logical(source.spec, source.logical)),
          "write to a tensor");
  owned_by("lifetime.memory-valid-until-deleter", [&] {
    expect_equal("elements of the copy", source.logical, gather_exported(copy.managed()));
  });
}

DLCERT_CHECK(source_does_not_see_writes_to_the_copy,
             producer_check("protocol.copy.true", "the source does not see writes to a copy",
                            exporting | Can::read)) {
  const Source source = draw_source(c, with_elements);
  const Exported copy = export_copy(c, source);
  testbench::change_first_element(copy.managed());
  owned_by("sharing.source-usable-after", [&] {
    expect_equal("elements of the source", source.logical,
                 read_imported(c.producer, source.tensor, source.spec));
  });
}

DLCERT_CHECK(no_copy_shares_memory,
             producer_check("protocol.copy.false",
                            "copy=False shares the source's memory or is refused", exporting)) {
  const Source source = draw_source(c, with_elements);
  auto exported = export_tensor(c, source.tensor, with_copy(draw_request(c.draw), false));
  if (!exported.ok()) throw Declined{"copy=False is refused"};
  const Exported shared = std::move(exported).value();
  c.minor([&] {
    expect_field(shared.managed(), !says_copied(shared.managed()),
                 "!(exported.flags & DLPACK_FLAG_BITMASK_IS_COPIED)",
                 "copied flag under copy=False: expected clear but found set");
  });
  owned_by("sharing.zero-copy-when-possible", [&] {
    seen_by([&] { return testbench::judged_sharing(source.tensor, shared.managed(), true); },
            [&] {
              expect(shares_memory(c, source, shared.managed()),
                     "data under copy=False: expected the source's memory but found a copy");
            });
  });
}

// Another device's memory cannot be had without a copy, whether or not the producer has such a
// device.
DLCERT_CHECK(impossible_without_copy_is_refused,
             if_touched(producer_check("protocol.copy.false",
                                       "copy=False is refused for another device", exporting))) {
  const Source source = simple_source(c);
  const auto asked = with_copy(with_device(draw_request(c.draw), cuda), false);
  auto exported = export_tensor(c, source.tensor, asked);
  owned_by("protocol.dldevice.unsupported",
           [&] { expect_export_refused(exported, cuda, " with copy=False"); });
  touched_if_exported(c, source);
}

// With few axes: a limit of a library on their number has errors of its own.
constexpr SpecBounds few_axes{.layouts = Layouts::no_overlap,
                              .shape = {.max_rank = 4, .empty = false}};

// Judges the kind of the error, if only `copy` and the device with it can be the reason of a
// refusal.
void expect_kind_of_refusal(Case& c, const Source& source, const dlcert_request& asked) {
  const testbench::Wrapping wrapping = testbench::draw_wrapping(c);
  const auto exported = testbench::export_by(wrapping, c.producer, source.tensor, asked);
  if (exported.ok()) return c.declined("exported");
  dlcert_request plain = asked;
  plain.copy = plain.dl_device = absent();
  if (!testbench::export_by(wrapping, c.producer, source.tensor, plain).ok())
    return c.declined("a plain export is refused too");
  c.touched();
  expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    refused_copy_raises_buffer_error,
    if_touched(producer_check("protocol.export.buffer-error",
                              "a copy on request is refused by BufferError", exporting))) {
  const Source source = draw_source(c, few_axes);
  expect_kind_of_refusal(c, source, with_copy(draw_request(c.draw), true));
}

DLCERT_CHECK_ALSO_ON_DEVICES(export_that_needs_a_copy_raises_buffer_error,
                             if_touched(producer_check("protocol.copy.false-error",
                                                       "copy=False is refused by BufferError",
                                                       exporting))) {
  const Source source = draw_source(c, few_axes);
  const dlcert_request asked = with_copy(draw_request(c.draw), false);
  if (c.draw.flip()) return expect_kind_of_refusal(c, source, asked);
  owned_by("protocol.dldevice.unsupported",
           [&] { expect_kind_of_refusal(c, source, with_device(asked, cuda)); });
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    default_reuses_memory_where_it_can,
    producer_check("protocol.copy.none",
                   "without a copy request memory is reused where copy=False can", exporting)) {
  const Source source = draw_source(c, with_elements);
  dlcert_request asked = draw_request(c.draw);
  if (c.draw.flip()) asked.copy = none();
  const Exported exported = export_or_skip(c, source.tensor, asked, "export of this layout");
  const bool copied = !shares_memory(c, source, exported.managed());
  c.minor([&] {
    if (testbench::copy_needs_flag(c.producer, exported.managed()) ||
        (!copied && exported.managed().versioned()))
      in_fields(
          exported.managed(),
          [&] { expect_equal("copied flag", copied, says_copied(exported.managed())); },
          "(exported.flags & DLPACK_FLAG_BITMASK_IS_COPIED) == {}", copied ? 2 : 0);
  });
  if (!copied) return;
  c.observe("copied");
  expect(!export_tensor(c, source.tensor, with_copy(asked, false)).ok(),
         "data under copy=None: expected the source's memory, as under copy=False, "
         "but found a copy");
}

}  // namespace
}  // namespace dlcert::protocol
