// SPDX-License-Identifier: Apache-2.0
//
// Strides: their unit, when they may be null, and what they may reach.

#include <algorithm>
#include <array>
#include <cstdlib>

#include "abi/support.hpp"
#include "registration.hpp"
#include "testbench/facts.hpp"
#include "testbench/freed_memory.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(strides)

namespace {

using testbench::HeapPoison;
using testbench::Owners;
using testbench::says_copied;

constexpr SpecBounds ranked_compact{
    .layouts = Layouts::compact, .shape = {.min_rank = 1}, .padded = false};

constexpr SpecBounds with_axes{.shape = {.min_rank = 1, .empty = false}, .padded = false};

std::int64_t axes_that_count(const TensorSpec& spec) {
  return std::ranges::count_if(spec.shape, [](std::int64_t extent) { return extent > 1; });
}

void expect_number_of_strides(const Managed& managed, const TensorSpec& spec) {
  expect_field_equal(managed, "number of strides", "exported.dl_tensor.ndim",
                     static_cast<std::int32_t>(spec.shape.size()), managed.tensor().ndim);
}

// What the library says of its tensor, which may have more room between its rows than was asked
// for; else what was asked for.
std::vector<std::int64_t> own_strides(const Case& c, const ExportedSource& exported) {
  if (!c.producer.offers(Needs{} | Can::describe)) return exported.spec.strides;
  const Description own = require(c.producer.describe(exported.tensor), "describe");
  return own.strides.value_or(exported.spec.strides);
}

// Returns true if `found` places the last element further from the first one than `own` does.
bool reaches_further(const std::vector<std::int64_t>& found, const std::vector<std::int64_t>& own,
                     const std::vector<std::int64_t>& shape) {
  std::int64_t further = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    further += (shape[axis] - 1) * (std::abs(found[axis]) - std::abs(own[axis]));
  return further > 0;
}

Owners owners_of_strides(const ExportedSource& exported) {
  const std::vector<std::int64_t> found = described_spec(exported.managed()).strides;
  const TensorSpec& asked = exported.spec;
  if (found.size() != asked.shape.size()) return {};
  const bool further = reaches_further(found, asked.strides, asked.shape);
  return further ? Owners{"abi.strides.in-bounds"} : Owners{};
}

// The strides of axes with an extent of 0 or 1 carry no information, nor do any of an empty tensor.
void expect_strides(const Case& c, const ExportedSource& exported) {
  const Managed& managed = exported.managed();
  const TensorSpec& spec = exported.spec;
  if (spec.element_count() == 0) return;
  const std::vector<std::int64_t> found = described_spec(managed).strides;
  const std::vector<std::int64_t> own = own_strides(c, exported);
  expect_number_of_strides(managed, spec);
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    if (spec.shape[axis] <= 1) continue;
    owned_by(owners_of_strides(exported), [&] {
      in_fields(
          managed,
          [&] {
            expect(found[axis] == own[axis], "stride of axis {}: expected {} but found {}", axis,
                   own[axis], found[axis]);
          },
          "stride_of(&exported.dl_tensor, {}) == {}", axis, own[axis]);
    });
  }
}

// ---- producers ----------------------------------------------------------------------------------

DLCERT_CHECK(exported_strides_count_elements,
             if_touched(producer_check("abi.strides.element-units",
                                       "exported strides count elements", exporting))) {
  const ExportedSource exported = export_drawn(c, with_axes);
  if (axes_that_count(exported.spec) != 0) c.touched();
  owned_by(owners_of_strides(exported),
           [&] { expect_gathered(exported.managed(), exported.logical); });
  if (shares_memory(c, exported)) expect_strides(c, exported);
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
  const Managed& managed = exported.managed();
  expect_field(managed, managed.tensor().strides != nullptr, "exported.dl_tensor.strides != NULL",
               "strides of a tensor of rank {} labelled 1.2 or later: found NULL",
               exported.spec.shape.size());
  expect_gathered(managed, exported.logical);
  if (shares_memory(c, exported)) expect_strides(c, exported);
}

DLCERT_CHECK(null_strides_below_1_2_are_recorded,
             producer_check("abi.strides.nonnull-unlabelled",
                            "strides of exports that are not labelled 1.2 or later are recorded",
                            exporting)) {
  const ExportedSource exported = export_spec(c, draw_claimed(c, ranked_compact));
  if (labelled_1_2(exported.managed())) throw NotClaimed{"a label below 1.2"};
  const bool null = exported.managed().tensor().strides == nullptr;
  c.observe(null ? "null strides" : "strides given");
  expect_field(exported.managed(), !null || c.settings.policy("null-strides") == "record",
               "exported.dl_tensor.strides != NULL",
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
  expect_number_of_strides(exported.managed(), exported.spec);
  if (shares_memory(c, exported)) expect_strides(c, exported);
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
             if_touched(producer_check("abi.strides.in-bounds",
                                       "an export reaches nothing outside its storage",
                                       exporting | Can::describe))) {
  SpecBounds bounds = with_axes;
  bounds.dtypes = Dtypes::whole_byte;
  const ExportedSource exported = export_drawn(c, bounds);
  const Description own = require(c.producer.describe(exported.tensor), "describe");
  if (own.storage_begin == nullptr) throw NotClaimed{"telling where its storage is"};
  const std::int64_t first = exported.managed().first_element() - own.storage_begin;
  const auto storage = static_cast<std::int64_t>(own.storage_bytes);
  const bool may_be_copy = !testbench::copy_needs_flag(c.producer, exported.managed()) ||
                           says_copied(exported.managed());
  if (may_be_copy && (first < 0 || first >= storage)) throw NotClaimed{"exports without a copy"};
  if (exported.spec.element_count() > 1) c.touched();
  const auto [begin, end] = reach(described_spec(exported.managed()));
  in_fields(
      exported.managed(),
      [&, begin = begin, end = end] {  // clang 14 captures no binding by itself
        expect(first + begin >= 0 && first + end <= storage,
               "bytes reached: expected within [0, {}) of the storage but found [{}, {})", storage,
               first + begin, first + end);
      },
      "reaches_within(&exported.dl_tensor, {}, {})", -first, storage - first);
}

// ---- consumers ----------------------------------------------------------------------------------

DLCERT_CHECK(imported_strides_count_elements,
             if_touched(consumer_check("abi.strides.element-units",
                                       "imported strides are taken to count elements",
                                       importing))) {
  const TensorSpec spec = draw_claimed(c, with_axes);
  expect_imports(c, spec, draw_logical(c.draw, spec));
  if (axes_that_count(spec) != 0) c.touched();
}

// A library that takes a tensor must read it right, even if it does not claim the layout.
DLCERT_CHECK(other_layouts_are_refused_or_read_right,
             if_touched(consumer_check(
                 "abi.strides.element-units",
                 "a layout that the library does not claim is refused or read by its strides",
                 importing))) {
  SpecBounds bounds = with_axes;
  bounds.layouts = Layouts::compact;
  bounds.dtypes = Dtypes::whole_byte;
  TensorSpec spec = draw_claimed(c, bounds);
  Layout layout = draw_layout(c.draw, spec.shape, Layouts::no_overlap);
  const auto runs_backwards = [](std::int64_t stride) { return stride < 0; };
  if (std::ranges::any_of(layout.strides, runs_backwards)) throw Discard{};  // abi.strides.negative
  spec.strides = std::move(layout.strides);
  spec.offset = layout.offset;
  spec.storage_size = layout.storage_size;
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, logical, path.form)};
  if (imported.accepted()) imported.expect_holds(spec, logical);
  if (axes_that_count(spec) != 0)
    touched_by_outcome(c, imported);
  else
    c.declined("no stride counts");
  imported.expect_one_deletion();
}

// Where an import is known to have its memory: the offer's, or its own as far as it tells.
bool reaches_within(const TensorSpec& told, const std::byte* first, const std::byte* begin,
                    std::uint64_t size) {
  const auto [low, high] = reach(told);
  const std::int64_t at = first - begin;
  return at + low >= 0 && at + high <= static_cast<std::int64_t>(size);
}

void expect_reach(const TensorSpec& told, const Description& said, const Offer& offer) {
  const bool shared =
      said.data >= offer.storage() && said.data < offer.storage() + offer.storage_bytes();
  if (!shared && said.storage_begin == nullptr) throw Declined{"tells not where its memory is"};
  const std::byte* const begin = shared ? offer.storage() : said.storage_begin;
  const std::uint64_t size = shared ? offer.storage_bytes() : said.storage_bytes;
  expect(reaches_within(told, said.data, begin, size),
         "strides {} of an import: expected them to stay in its memory of {} bytes",
         to_text(told.strides), size);
}

// They may be others than those that came: of a copy, or where they do not count.
DLCERT_CHECK(told_strides_lead_to_the_elements,
             if_touched(consumer_check(
                 "abi.strides.element-units",
                 "the strides that the library tells of an import lead to what it reads",
                 importing))) {
  SpecBounds bounds = with_axes;
  bounds.dtypes = Dtypes::whole_byte;
  const TensorSpec spec = draw_claimed(c, bounds);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, logical, path.form)};
  if (!imported.accepted()) throw Declined{"refused"};
  const Description said = imported.description();
  if (!said.strides || said.data == nullptr) throw Declined{"tells no strides, or no address"};
  TensorSpec told = spec;
  told.dtype = said.dtype;
  told.shape = said.shape;
  told.strides = *said.strides;
  told.offset = 0;
  expect_equal("number of strides", told.shape.size(), told.strides.size());
  expect_reach(told, said, imported.offer());
  if (axes_that_count(spec) != 0) c.touched();
  expect_equal("elements by the strides that it tells", imported.read(), gather(told, said.data));
  imported.expect_one_deletion();
}

// Who may still leave strides out.
struct Label {
  Form form;
  DLPackVersion version;
};
constexpr std::array<Label, 3> below_1_2{
    {{Form::legacy, {0, 0}}, {Form::versioned, {1, 0}}, {Form::versioned, {1, 1}}}};
constexpr std::array<Label, 2> from_1_2{{{Form::versioned, {1, 2}}, {Form::versioned, {1, 3}}}};

// A compact tensor of up to four axes of a code that 1.0 knew, offered without strides.
struct Strideless {
  TensorSpec spec;
  Bytes logical;
  ImportPath path;
  Descriptor descriptor;
};

Strideless draw_strideless(Case& c, Label label, int min_rank = 1) {
  const ImportPath path = draw_import_path(c.draw, c.consumer, label.form);
  TensorSpec spec = draw_claimed(c, {.layouts = Layouts::compact,
                                     .shape = {.max_rank = 4, .min_rank = min_rank},
                                     .padded = false});
  if (spec.dtype.code > kDLBool) throw NotClaimed{"types of 1.0"};
  Bytes logical = draw_logical(c.draw, spec);
  Descriptor descriptor = describe_spec(spec, label.form);
  if (label.form == Form::versioned) descriptor.version = label.version;
  descriptor.strides.reset();
  return {std::move(spec), std::move(logical), path, std::move(descriptor)};
}

// Row-major and column-major differ from two axes on.
DLCERT_CHECK(null_strides_are_row_major,
             if_touched(consumer_check("abi.strides.null-means-compact",
                                       "null strides below 1.2 are taken for row-major, or refused",
                                       importing))) {
  const Strideless offered = draw_strideless(c, c.draw.one_of(below_1_2), 2);
  if (axes_that_count(offered.spec) < 2 || offered.spec.element_count() == 0)
    throw NotClaimed{"row-major tensors of two axes that count"};
  ImportedOffer imported{c, offered.path.route, offered.descriptor,
                         scatter(offered.spec, offered.logical)};
  if (imported.accepted()) {
    imported.expect_holds(offered.spec, offered.logical);
    c.touched();
  } else {
    c.declined("refused");
  }
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
             if_touched(consumer_check(
                 "abi.strides.consumer-null-tolerance",
                 "what the consumer makes of null strides from 1.2 on is recorded", importing))) {
  const Strideless offered = draw_strideless(c, c.draw.one_of(from_1_2));
  ImportedOffer imported{c, offered.path.route, offered.descriptor,
                         scatter(offered.spec, offered.logical)};
  c.observe(imported.accepted() ? "accepted" : "refused");
  touched_by_outcome(c, imported);
  if (c.settings.policy("null-strides") == "forbid")
    imported.expect_refused("null strides under a label of 1.2 or later");
  imported.expect_one_deletion();
}

}  // namespace
}  // namespace dlcert::abi
