// SPDX-License-Identifier: Apache-2.0
//
// An export without a copy request is a view of the source.
#include "registration.hpp"
#include "sharing/support.hpp"

namespace dlcert::sharing {

DLCERT_FAMILY(zero_copy)

namespace {

using testbench::draw_wrapping;
using testbench::request_for;
using testbench::try_export;

// Whether this layout is one that has to be shared; others are recorded.
bool must_share(const Case& c, const TensorSpec& spec) {
  return spec.contiguous() || c.settings.policy("zero-copy-scope") == "strided";
}

DLCERT_CHECK(
    export_is_at_the_sources_address,
    if_touched(producer_check("sharing.zero-copy-when-possible",
                              "an export without copy request begins at the source's first element",
                              exporting | Can::describe))) {
  const Source source = draw_source(c, {.shape = with_elements, .read_only = true});
  const Description said = require(c.producer.describe(source.tensor), "description of a tensor");
  if (said.data == nullptr) throw NotClaimed{"addresses of tensors"};
  const Exported exported = export_either(c, source.tensor);
  const bool shares = exported.managed().first_element() == said.data;
  if (!must_share(c, source.spec)) return c.observe(shares ? "strided: shared" : "strided: copied");
  c.touched();
  expect_equal("address of the first element", said.data, exported.managed().first_element());
  expect_field(exported.managed(), !says_copied(exported.managed()),
               "!(exported.flags & DLPACK_FLAG_BITMASK_IS_COPIED)",
               "flags of a view: expected no copied bit but found it set");
}

// Memory that holds the elements in a form of the library's own has no address to be told, and
// cannot be had without a copy.
bool can_be_shared(Case& c, const Source& source) {
  if (!c.producer.offers(Needs{} | Can::describe)) return true;
  if (require(c.producer.describe(source.tensor), "description of a tensor").data != nullptr)
    return true;
  dlcert_request request = request_for(Form::versioned);
  request.copy = boolean(false);
  const auto shared = try_export(draw_wrapping(c), c.producer, source.tensor, request);
  return shared && shared->ok();
}

DLCERT_CHECK(writes_pass_through_the_export,
             if_touched(producer_check("sharing.zero-copy-when-possible",
                                       "writes to source and export are seen through the other",
                                       exporting | Can::read | Can::write))) {
  const Source source = draw_source(c, writable_view);
  const Exported exported = export_either(c, source.tensor);
  const Bytes by_source = different_logical(source.spec, source.logical);
  write_all(c.producer, source.tensor, by_source);
  const bool seen = gather_exported(exported.managed()) == by_source;
  if (!must_share(c, source.spec)) return c.observe(seen ? "strided: shared" : "strided: copied");
  if (!seen && !can_be_shared(c, source)) throw NotClaimed{"memory that others can use"};
  c.touched();
  owned_by("sharing.mutation-visible", [&] {
    expect_equal("elements of the export after a write to the source", by_source,
                 gather_exported(exported.managed()));
  });
  write_exported(exported.managed(), source.logical);
  expect_equal("elements of the source after a write to the export", source.logical,
               read_all(c.producer, source.tensor, source.spec));
}

}  // namespace
}  // namespace dlcert::sharing
