// SPDX-License-Identifier: Apache-2.0
//
// Strides: their unit, when they may be null, and what they may reach.

#include <array>

#include "abi/support.hpp"
#include "registration.hpp"
#include "testbench/freed_memory.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(strides)

namespace {

using testbench::HeapPoison;
using testbench::says_copied;

constexpr SpecBounds ranked_compact{
    .layouts = Layouts::compact, .shape = {.min_rank = 1}, .padded = false};

// The strides of axes with an extent of 0 or 1 carry no information, nor do any of an empty tensor.
void expect_strides(const TensorSpec& spec, const std::int64_t* found) {
  if (spec.element_count() == 0) return;
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis)
    if (spec.shape[axis] > 1)
      expect(found[axis] == spec.strides[axis], "stride of axis {}: expected {} but found {}", axis,
             spec.strides[axis], found[axis]);
}

// ---- producers ----------------------------------------------------------------------------------

DLCERT_CHECK(exported_strides_count_elements,
             producer_check("abi.strides.element-units", "exported strides count elements",
                            exporting)) {
  const ExportedSource exported = export_drawn(c);
  expect_equal("elements", exported.logical, gather_exported(exported.managed()));
  if (shares_memory(c, exported))
    expect_strides(exported.spec, described_spec(exported.managed()).strides.data());
}

bool labelled_1_2(const Managed& managed) {
  const DLPackVersion version = managed.version();
  return version.major > 1 || (version.major == 1 && version.minor >= 2);
}

DLCERT_CHECK(exports_from_1_2_on_have_strides,
             producer_check("abi.strides.nonnull",
                            "an export labelled 1.2 or later has strides at a rank above 0",
                            exporting)) {
  const ExportedSource exported = export_in(c, Form::versioned, draw_claimed(c, ranked_compact));
  if (!labelled_1_2(exported.managed())) throw NotClaimed{"a label of 1.2 or later"};
  const std::int64_t* strides = exported.managed().tensor().strides;
  expect(strides != nullptr, "strides of a tensor of rank {} labelled 1.2 or later: found NULL",
         exported.spec.shape.size());
  expect_strides(exported.spec, strides);
}

DLCERT_CHECK(null_strides_below_1_2_are_recorded,
             producer_check("abi.strides.nonnull-unlabelled",
                            "strides of exports that are not labelled 1.2 or later are recorded",
                            exporting)) {
  const ExportedSource exported = export_spec(c, draw_claimed(c, ranked_compact));
  if (labelled_1_2(exported.managed())) throw NotClaimed{"a label below 1.2"};
  const bool null = exported.managed().tensor().strides == nullptr;
  c.observe(null ? "null strides" : "strides given");
  expect(!null || c.settings.policy("null-strides") == "record",
         "policy null-strides=forbid: expected strides but found NULL");
}

DLCERT_CHECK(strides_outlive_their_source,
             producer_check("abi.strides.length",
                            "strides has an entry for each axis for the life of the export",
                            exporting)) {
  ExportedSource exported = export_drawn(c, ranked);
  const DLTensor& tensor = exported.managed().tensor();
  if (tensor.strides == nullptr) throw NotClaimed{"exports with strides"};
  const std::vector<std::int64_t> before(tensor.strides, tensor.strides + tensor.ndim);
  expect_equal("number of strides", exported.spec.shape.size(), before.size());
  if (shares_memory(c, exported)) expect_strides(exported.spec, before.data());
  exported.tensor.release();
  const HeapPoison poison;
  expect_equal("strides after their source was released", before,
               std::vector<std::int64_t>(tensor.strides, tensor.strides + tensor.ndim));
}

DLCERT_CHECK(scalar_strides_pointers_are_recorded,
             producer_check("abi.strides.null-when-rank0",
                            "the strides pointer of an exported scalar is recorded", exporting)) {
  const TensorSpec spec = compact_spec(draw_claimed(c).dtype, {});
  const ExportedSource exported = export_spec(c, spec);
  c.observe(exported.managed().tensor().strides == nullptr ? "null strides" : "some pointer");
}

// The bytes that a descriptor reaches, relative to its first element.
struct Reach {
  std::int64_t begin, end;
};

Reach reach(const TensorSpec& spec) {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    const std::int64_t last = (spec.shape[axis] - 1) * spec.strides[axis];
    (last < 0 ? lowest : highest) += last;
  }
  const auto item = static_cast<std::int64_t>(logical_item_size(spec.dtype));
  return {lowest * item, (highest + 1) * item};
}

DLCERT_CHECK(exports_stay_in_their_storage,
             producer_check("abi.strides.in-bounds",
                            "an export reaches nothing outside its storage",
                            exporting | Can::describe)) {
  const ExportedSource exported =
      export_drawn(c, {.dtypes = Dtypes::whole_byte, .shape = {.empty = false}, .padded = false});
  const Description own = require(c.producer.describe(exported.tensor), "describe");
  if (own.storage_begin == nullptr) throw NotClaimed{"telling where its storage is"};
  const std::int64_t first = exported.managed().first_element() - own.storage_begin;
  const auto storage = static_cast<std::int64_t>(own.storage_bytes);
  const bool may_be_copy = !exported.managed().versioned() || says_copied(exported.managed());
  if (may_be_copy && (first < 0 || first >= storage)) throw NotClaimed{"exports without a copy"};
  const auto [begin, end] = reach(described_spec(exported.managed()));
  expect(first + begin >= 0 && first + end <= storage,
         "bytes reached: expected within [0, {}) of the storage but found [{}, {})", storage,
         first + begin, first + end);
}

// ---- consumers ----------------------------------------------------------------------------------

DLCERT_CHECK(imported_strides_count_elements,
             consumer_check("abi.strides.element-units",
                            "imported strides are taken to count elements", importing)) {
  const TensorSpec spec = draw_claimed(c);
  expect_imports(c, spec, draw_logical(c.draw, spec));
}

// Who may still leave strides out.
struct Label {
  Form form;
  DLPackVersion version;
};
constexpr std::array<Label, 3> below_1_2{
    {{Form::legacy, {0, 0}}, {Form::versioned, {1, 0}}, {Form::versioned, {1, 1}}}};
constexpr std::array<Label, 2> from_1_2{{{Form::versioned, {1, 2}}, {Form::versioned, {1, 3}}}};

// A compact tensor of rank 1 to 4 of a code that 1.0 knew, offered without strides.
struct Strideless {
  TensorSpec spec;
  Bytes logical;
  ImportPath path;
  Descriptor descriptor;
};

Strideless draw_strideless(Case& c, Label label) {
  const ImportPath path = draw_import_path(c.draw, c.consumer, label.form);
  TensorSpec spec = draw_claimed(
      c, {.layouts = Layouts::compact, .shape = {.max_rank = 4, .min_rank = 1}, .padded = false});
  if (spec.dtype.code > kDLBool) throw NotClaimed{"types of 1.0"};
  Bytes logical = draw_logical(c.draw, spec);
  Descriptor descriptor = describe_spec(spec, label.form);
  if (label.form == Form::versioned) descriptor.version = label.version;
  descriptor.strides.reset();
  return {std::move(spec), std::move(logical), path, std::move(descriptor)};
}

DLCERT_CHECK(null_strides_are_row_major,
             consumer_check("abi.strides.null-means-compact",
                            "null strides below 1.2 are taken for row-major, or refused",
                            importing)) {
  const Strideless offered = draw_strideless(c, c.draw.one_of(below_1_2));
  ImportedOffer imported{c, offered.path.route, offered.descriptor,
                         scatter(offered.spec, offered.logical)};
  c.observe(imported.accepted() ? "accepted" : "refused");
  if (imported.accepted()) imported.expect_holds(offered.spec, offered.logical);
  imported.expect_one_deletion();
}

DLCERT_CHECK(null_strides_below_1_2_are_taken,
             consumer_check("abi.strides.consumer-null-tolerance",
                            "the consumer takes null strides below 1.2 for row-major", importing)) {
  const Strideless offered = draw_strideless(c, c.draw.one_of(below_1_2));
  ImportedOffer imported{c, offered.path.route, offered.descriptor,
                         scatter(offered.spec, offered.logical)};
  imported.expect_accepted();
  imported.expect_holds(offered.spec, offered.logical);
  imported.expect_one_deletion();
}

DLCERT_CHECK(null_strides_from_1_2_are_recorded,
             consumer_check("abi.strides.consumer-null-tolerance",
                            "what the consumer makes of null strides from 1.2 on is recorded",
                            importing)) {
  const Strideless offered = draw_strideless(c, c.draw.one_of(from_1_2));
  ImportedOffer imported{c, offered.path.route, offered.descriptor,
                         scatter(offered.spec, offered.logical)};
  c.observe(imported.accepted() ? "accepted" : "refused");
  if (c.settings.policy("null-strides") == "forbid")
    imported.expect_refused("null strides under a label of 1.2 or later");
  imported.expect_one_deletion();
}

}  // namespace
}  // namespace dlcert::abi
