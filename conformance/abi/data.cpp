// SPDX-License-Identifier: Apache-2.0
//
// The data pointer and byte_offset: where the elements lie, and how far they reach.

#include <array>

#include "abi/support.hpp"
#include "registration.hpp"
#include "testbench/mapped_memory.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(data)

namespace {

using testbench::MappedMemory;

constexpr SpecBounds not_empty{.shape = {.empty = false}, .padded = false};
constexpr SpecBounds not_empty_whole_bytes{
    .dtypes = Dtypes::whole_byte, .shape = {.empty = false}, .padded = false};

// ---- producers ----------------------------------------------------------------------------------

DLCERT_CHECK(data_is_an_address_that_the_host_can_read,
             producer_check("abi.data.device-address",
                            "data of host memory is an address that the host can read",
                            exporting)) {
  const ExportedSource exported = export_drawn(c, not_empty);
  const Managed& managed = exported.managed();
  expect_field(managed, managed.tensor().data != nullptr, "exported.dl_tensor.data != NULL",
               "data of a tensor with elements: found NULL");
  expect_gathered(managed, exported.logical);
}

bool within(const std::byte* address, const Description& description) {
  return description.storage_begin != nullptr && address >= description.storage_begin &&
         address < description.storage_begin + description.storage_bytes;
}

DLCERT_CHECK(first_element_lies_at_data_plus_byte_offset,
             producer_check("abi.data.byte-offset-meaning",
                            "the first logical element lies at data plus byte_offset", exporting)) {
  const ExportedSource exported = export_drawn(c, not_empty_whole_bytes);
  const DLTensor& tensor = exported.managed().tensor();
  expect(tensor.byte_offset <= UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(tensor.data),
         "byte_offset: expected an address behind data but found {:#x}", tensor.byte_offset);

  const std::byte* first = exported.managed().first_element();
  const std::size_t item = logical_item_size(exported.spec.dtype);
  in_elements(exported.managed(), exported.logical, [&] {
    expect_equal("element at data + byte_offset",
                 Bytes(exported.logical.begin(),
                       exported.logical.begin() + static_cast<std::ptrdiff_t>(item)),
                 Bytes(first, first + item));
  });
  if (!c.producer.offers(Needs{} | Can::describe)) return;
  const Description own = require(c.producer.describe(exported.tensor), "describe");
  if (own.data != nullptr && within(first, own))  // otherwise the export is a copy
    expect_equal("data + byte_offset", own.data, first);
}

// No byte_offset points there: what leaves must be another view of the elements, or a copy.
DLCERT_CHECK(view_that_starts_inside_a_byte_keeps_its_elements,
             if_touched(producer_check(
                 "abi.data.byte-offset-meaning",
                 "a view that starts inside a byte is refused or exported with its true elements",
                 exporting))) {
  TensorSpec spec = compact_spec({kDLFloat4_e2m1fn, 4, 1}, {c.draw.between(1, 6)});
  spec.offset = 2 * c.draw.between(0, 3) + 1;
  spec.storage_size = spec.offset + spec.shape.front();
  const Bytes logical = draw_logical(c.draw, spec);
  const Tensor tensor = create(c, spec, logical);
  const auto out = export_or_refusal(c, tensor, draw_form(c.draw), Refusal::meets_the_rule);
  if (out) expect_gathered(out->managed(), logical);
}

DLCERT_CHECK(alignment_is_recorded,
             producer_check("abi.data.alignment-256", "the alignment of exported data is recorded",
                            exporting)) {
  const ExportedSource exported = export_drawn(c, not_empty);
  const auto address = reinterpret_cast<std::uintptr_t>(exported.managed().tensor().data);
  c.observe(address % 256 == 0 ? "data aligned to 256" : "data not aligned to 256");
  expect(address % 256 == 0 || c.settings.policy("data-alignment") == "record",
         "data: expected a multiple of 256 but found {:#x}", address);
}

DLCERT_CHECK(compact_size_is_extents_times_item,
             producer_check("abi.data.size-formula",
                            "a compact export is as large as its extents times its element",
                            exporting)) {
  SpecBounds bounds = not_empty_whole_bytes;
  bounds.layouts = Layouts::compact;
  const ExportedSource exported = export_drawn(c, bounds);
  const TensorSpec found = described_spec(exported.managed());
  const std::size_t size =
      static_cast<std::size_t>(found.element_count()) * logical_item_size(found.dtype);
  expect_field_equal(
      exported.managed(), "extents times bytes of an element",
      "(uint64_t)(element_count(&exported.dl_tensor) * bytes_of_element(&exported.dl_tensor))",
      exported.logical.size(), size);
  if (!c.producer.offers(Needs{} | Can::describe)) return;
  const Description own = require(c.producer.describe(exported.tensor), "describe");
  const std::byte* first = exported.managed().first_element();
  if (within(first, own))
    expect(first + size <= own.storage_begin + own.storage_bytes,
           "last element: expected inside the allocation of {} bytes but found it reaching to {}",
           own.storage_bytes, first + size - own.storage_begin);
}

// A width that does not fit its field must not be truncated.
DLCERT_CHECK(records_of_32_bytes_keep_their_size,
             if_touched(producer_check(
                 "abi.data.size-formula",
                 "an element too wide for the bits field is refused or described in full",
                 exporting))) {
  const TensorSpec spec = compact_spec({kDLUInt, 64, 4}, {2});
  const auto exported = try_export_state(c, spec, DLCERT_STATE_RECORD, Bytes(64, std::byte{7}));
  if (!exported) return;
  expect_field_equal(exported->managed(), "bytes of an element",
                     "bytes_of_element(&exported.dl_tensor)", std::size_t{32},
                     logical_item_size(exported_dtype(exported->managed())));
}

// ---- consumers ----------------------------------------------------------------------------------

// A consumer may refuse a tensor that it does not claim: then the case does not count.
void expect_claimed_if_refused(const Case& c, const ImportedOffer& imported,
                               const TensorSpec& spec) {
  if (!imported.accepted()) require_claimed(c.consumer, spec);
}

// The same tensor, `units` further into a longer storage.
TensorSpec moved(TensorSpec spec, std::int64_t units) {
  spec.offset += units;
  spec.storage_size += units;
  return spec;
}

// Mostly dlcert's own.
std::uint32_t draw_minor(Draw& draw) {
  constexpr std::array<std::uint32_t, 4> minors{own_version.minor, own_version.minor, 0,
                                                own_version.minor + 1};
  return draw.one_of(minors);
}

// Of a claimed tensor of this layout the consumer may refuse the offset, and the legacy form as
// such: see abi.version.major-is-layout. A later minor version does not change where it stands.
DLCERT_CHECK(byte_offset_is_added,
             if_touched(consumer_check("abi.data.byte-offset-applied",
                                       "the consumer adds byte_offset to data", importing))) {
  const std::int64_t units = c.draw.between(1, 70);
  const TensorSpec spec = moved(draw_claimed(c, not_empty_whole_bytes), units);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  Descriptor descriptor = describe_spec(spec, path.form, true);
  const bool versioned = path.form == Form::versioned;
  if (versioned) descriptor.version.minor = draw_minor(c.draw);
  ImportedOffer imported{c, path.route, descriptor, scatter(spec, logical)};
  expect_claimed_if_refused(c, imported, spec);
  if (versioned && descriptor.version.minor == own_version.minor &&
      c.settings.policy("byte-offset-import") == "require")
    imported.expect_accepted();
  if (imported.accepted()) {
    imported.expect_holds(spec, logical);
    c.touched();
    const Offer& offer = imported.offer();
    const std::byte* data = imported.description().data;
    const bool shared = data != nullptr && data >= offer.storage() &&
                        data < offer.storage() + offer.storage_bytes();
    if (shared) expect_equal("address of the first element", offer.first_element(), data);
  } else {
    c.declined("refused");
  }
  imported.expect_one_deletion();
}

DLCERT_CHECK(byte_offset_has_64_bits,
             if_touched(consumer_check("abi.data.byte-offset-applied",
                                       "the consumer adds a byte_offset beyond 32 bits", importing,
                                       both_forms.size()))) {
  constexpr std::uint64_t byte_offset = (std::uint64_t{1} << 32) + 64;
  const Bytes logical = bytes_of<float>({1, 2, 3, 4});
  const TensorSpec spec = vector_spec(float32, logical);
  require_claimed(c.consumer, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer, both_forms[c.row]);
  const MappedMemory memory{byte_offset + logical.size()};
  memory.put(byte_offset, logical);
  Descriptor descriptor = describe_spec(spec, path.form);
  descriptor.byte_offset = byte_offset;
  ImportedOffer imported{c, path.route, memory.offer(descriptor, 0)};
  expect_right_if_accepted(c, imported, spec, logical);
}

DLCERT_CHECK(element_alignment_is_enough,
             if_touched(consumer_check(
                 "abi.data.alignment-not-relied-on",
                 "the consumer reads data that is aligned to its elements only, or refuses it",
                 importing))) {
  const std::int64_t units = c.draw.between(1, 255);
  const TensorSpec spec = moved(draw_claimed(c, not_empty_whole_bytes), units);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, logical, path.form)};
  expect_claimed_if_refused(c, imported, spec);
  c.observe(imported.accepted() ? "accepted" : "refused");
  if (imported.accepted()) imported.expect_holds(spec, logical);
  if (reinterpret_cast<std::uintptr_t>(imported.offer().first_element()) % 256 != 0)
    touched_by_outcome(c, imported);
  imported.expect_one_deletion();
}

// The storage ends at a page, so that a byte behind the elements shifts all of them.
DLCERT_CHECK(
    less_than_element_alignment_is_recorded,
    if_touched(consumer_check("abi.data.alignment-not-relied-on",
                              "what the consumer makes of data below element alignment is recorded",
                              importing))) {
  SpecBounds bounds = not_empty_whole_bytes;
  bounds.layouts = Layouts::compact;
  const TensorSpec spec = draw_claimed(c, bounds);
  if (logical_item_size(spec.dtype) == 1) throw NotClaimed{"elements of several bytes"};
  const Bytes logical = draw_logical(c.draw, spec);
  Bytes storage = scatter(spec, logical);
  storage.push_back(std::byte{0});
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, describe_spec(spec, path.form), storage};
  judge_by_policy(c, imported, "element-misaligned-data");
  if (imported.accepted()) {
    const bool right = imported.read() == logical;
    c.observe(right ? "right values" : "wrong values");
    if (c.settings.policy("element-misaligned-data") == "read")
      imported.expect_holds(spec, logical);
  }
  imported.expect_one_deletion();
}

DLCERT_CHECK(compact_size_is_all_that_is_read,
             consumer_check("abi.data.size-formula",
                            "the consumer reads no more than the extents times the element",
                            importing)) {
  SpecBounds bounds = not_empty_whole_bytes;
  bounds.layouts = Layouts::compact;
  const TensorSpec spec = draw_claimed(c, bounds);
  expect_imports(c, spec, draw_logical(c.draw, spec));  // the storage ends at an inaccessible page
}

}  // namespace
}  // namespace dlcert::abi
