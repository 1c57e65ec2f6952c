// SPDX-License-Identifier: Apache-2.0
//
// What a producer makes of copy.

#include "protocol/families.hpp"
#include "protocol/support.hpp"

namespace dlcert::protocol {
namespace {

// Sharing and isolation can be seen on elements only.
constexpr SpecBounds with_elements{.layouts = Layouts::no_overlap, .shape = {.empty = false}};

Exported export_copy(Case& c, const Source& source) {
  auto exported = export_tensor(c, source.tensor, with_copy(draw_request(c.draw), true));
  if (exported.ok()) return std::move(exported).value();
  expect(c.settings.policy("copy-true-unsupported") == "optional" || !plain(source.spec),
         "export with copy=True: expected success but found {}", to_text(exported.error()));
  expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
  throw NotClaimed{"export with copy=True"};
}

void copy_is_elsewhere(Case& c) {
  const Source source = draw_source(c, with_elements);
  const Exported copy = export_copy(c, source);
  expect_equal("elements", source.logical, gather_exported(copy.managed()));
  const Description said = require(c.producer.describe(source.tensor), "description of a tensor");
  if (said.data == nullptr) throw NotClaimed{"the address of its data"};
  expect(said.data != copy.managed().first_element(),
         "data of the copy: expected fresh memory but found the source's own");
}

void copy_says_so(Case& c) {
  const Source source = draw_source(c);
  const Exported copy = export_copy(c, source);
  if (!copy.managed().versioned()) throw NotClaimed{"versioned exports"};
  expect(says_copied(copy.managed()), "copied flag of a copy: expected set but found clear");
}

void copy_does_not_see_writes_to_the_source(Case& c) {
  const Source source = draw_source(c, with_elements);
  const Exported copy = export_copy(c, source);
  require(c.producer.write(source.tensor, different_logical(source.spec, source.logical)),
          "write to a tensor");
  expect_equal("elements of the copy", source.logical, gather_exported(copy.managed()));
}

void source_does_not_see_writes_to_the_copy(Case& c) {
  const Source source = draw_source(c, with_elements);
  const Exported copy = export_copy(c, source);
  auto* const first = const_cast<std::byte*>(copy.managed().first_element());
  *first ^= std::byte{1};
  expect_equal("elements of the source", source.logical,
               read_imported(c.producer, source.tensor, source.spec));
}

void no_copy_shares_memory(Case& c) {
  const Source source = draw_source(c, with_elements);
  auto exported = export_tensor(c, source.tensor, with_copy(draw_request(c.draw), false));
  if (!exported.ok()) {
    expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
    throw NotClaimed{"export with copy=False"};
  }
  const Exported shared = std::move(exported).value();
  expect(!says_copied(shared.managed()),
         "copied flag under copy=False: expected clear but found set");
  expect(shares_memory(c, source, shared.managed()),
         "data under copy=False: expected the source's memory but found a copy");
}

// Another device's memory cannot be had without a copy, whether or not the producer has such a
// device.
void impossible_without_copy_raises_buffer_error(Case& c) {
  const Source source = simple_source(c);
  const auto asked = with_copy(with_device(draw_request(c.draw), cuda), false);
  const auto exported = export_tensor(c, source.tensor, asked);
  expect(!exported.ok(), "export to {} with copy=False: expected a refusal but found success",
         to_text(cuda));
  expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
}

void default_reuses_memory_where_it_can(Case& c) {
  const Source source = draw_source(c, with_elements);
  dlcert_request asked = draw_request(c.draw);
  if (c.draw.flip()) asked.copy = none();
  const Exported exported = export_or_skip(c, source.tensor, asked, "export of this layout");
  const bool copied = !shares_memory(c, source, exported.managed());
  if (exported.managed().versioned())
    expect_equal("copied flag", copied, says_copied(exported.managed()));
  if (!copied) return;
  c.observe("copied");
  expect(!export_tensor(c, source.tensor, with_copy(asked, false)).ok(),
         "data under copy=None: expected the source's memory, as under copy=False, "
         "but found a copy");
}

}  // namespace

void register_copy_request_checks(Suite& suite) {
  suite.add({.requirement = "protocol.copy.true",
             .sentence = "a copy has the source's values in memory of its own",
             .role = Role::producer,
             .needs = exporting | Can::describe,
             .body = copy_is_elsewhere});
  suite.add({.requirement = "protocol.copy.true",
             .sentence = "a versioned copy has the copied flag",
             .role = Role::producer,
             .needs = exporting,
             .body = copy_says_so});
  suite.add({.requirement = "protocol.copy.true",
             .sentence = "a copy does not see writes to the source",
             .role = Role::producer,
             .needs = exporting | Can::write,
             .body = copy_does_not_see_writes_to_the_source});
  suite.add({.requirement = "protocol.copy.true",
             .sentence = "the source does not see writes to a copy",
             .role = Role::producer,
             .needs = exporting | Can::read,
             .body = source_does_not_see_writes_to_the_copy});
  suite.add({.requirement = "protocol.copy.false",
             .sentence = "copy=False shares the source's memory or raises BufferError",
             .role = Role::producer,
             .needs = exporting,
             .body = no_copy_shares_memory});
  suite.add({.requirement = "protocol.copy.false",
             .sentence = "copy=False raises BufferError for another device",
             .role = Role::producer,
             .needs = exporting,
             .body = impossible_without_copy_raises_buffer_error});
  suite.add({.requirement = "protocol.copy.none",
             .sentence = "without a copy request memory is reused where copy=False can",
             .role = Role::producer,
             .needs = exporting,
             .body = default_reuses_memory_where_it_can});
}

}  // namespace dlcert::protocol
