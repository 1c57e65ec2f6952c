// SPDX-License-Identifier: Apache-2.0
//
// The flags word of a versioned tensor, and a legacy tensor's lack of one.

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "abi/support.hpp"
#include "registration.hpp"
#include "testbench/facts.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(flags)

namespace {

using testbench::require_accepted;
using testbench::says_copied;

constexpr std::uint64_t read_only = DLPACK_FLAG_BITMASK_READ_ONLY;
constexpr std::uint64_t padded = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
constexpr std::uint64_t known_flags = 7;

// The flags have the bits that they must have: `expected` names them, `c_condition` says so in C.
void expect_flags(const Managed& exported, bool right, std::string_view c_condition,
                  std::string_view expected) {
  expect_field(exported, right, c_condition, "{} but found {:#x}", expected, exported.flags());
}

// ---- producers ----------------------------------------------------------------------------------

// An export with a flag of its own, read-only or copied, where the library has one.
void export_flagged(const Case& c, TensorSpec spec) {
  dlcert_request asked = request_for(Form::versioned);
  TensorSpec as_read_only = spec;
  as_read_only.flags |= DLCERT_SPEC_READ_ONLY;
  if (c.producer.can(as_read_only))
    spec = as_read_only;
  else
    asked.copy = boolean(true);
  const Tensor tensor =
      create(c, spec,
             Bytes(static_cast<std::size_t>(spec.element_count()) * logical_item_size(spec.dtype)));
  testbench::try_export(testbench::wrappings(c.producer).front(), c.producer, tensor, asked);
}

DLCERT_CHECK(writable_shared_exports_have_no_flags,
             if_touched(producer_check("abi.flags.default-zero",
                                       "the flags of a writable export that shares memory are 0",
                                       exporting))) {
  const TensorSpec spec =
      draw_claimed(c, {.shape = {.empty = false}, .padded = false, .writable = true});
  if (c.draw.flip()) export_flagged(c, spec);
  const ExportedSource exported = export_in(c, Form::versioned, spec);
  const std::uint64_t flags = exported.managed().flags();
  if (exported.managed().version().minor <= own_version.minor)
    expect_flags(exported.managed(), flags <= known_flags, "exported.flags <= 7",
                 "flags: expected none beyond bit 2");
  if (!shares_memory(c, exported)) throw Declined{"no shared memory seen"};
  c.touched();
  expect_flags(exported.managed(), flags == 0, "exported.flags == 0",
               "flags of a writable export that shares memory: expected 0");
}

// A copy made for the consumer is the consumer's to write.
DLCERT_CHECK(read_only_exports_say_so,
             if_touched(producer_check("abi.flags.read-only-bit", "a read-only export has bit 0",
                                       exporting))) {
  TensorSpec spec = draw_simple_spec(c.draw, c.producer);
  spec.flags |= DLCERT_SPEC_READ_ONLY;
  const Tensor tensor = create(c, spec, draw_logical(c.draw, spec));
  const Exported out = export_or_skip(c, tensor, request_for(Form::versioned), "this export");
  if (!out.managed().versioned()) throw NotClaimed{"versioned exports"};
  const bool said = (out.managed().flags() & read_only) != 0;
  c.observe(said ? "bit 0 set" : "bit 0 clear");
  if (!said && says_copied(out.managed())) throw Declined{"copied"};
  c.touched();
  expect_flags(out.managed(), said || c.settings.policy("read-only-flag") == "record",
               "exported.flags & DLPACK_FLAG_BITMASK_READ_ONLY",
               "flags of a read-only export: expected bit 0");
}

bool within_source(const Case& c, const Tensor& tensor, const Managed& managed) {
  if (!c.producer.offers(Needs{} | Can::describe)) return false;
  const Description own = require(c.producer.describe(tensor), "describe");
  const std::byte* first = managed.first_element();
  if (own.storage_begin == nullptr) return own.data != nullptr && own.data == first;
  return first >= own.storage_begin && first < own.storage_begin + own.storage_bytes;
}

// Returns true if the export is a copy: it lies outside its source or, if the library does not
// report where its source lies, at another address than an export without a request for a copy.
// Throws NotClaimed if dlcert can see neither.
bool is_copy(const Case& c, const Tensor& tensor, const Managed& managed) {
  if (c.producer.offers(Needs{} | Can::describe) &&
      require(c.producer.describe(tensor), "describe").data != nullptr)
    return !within_source(c, tensor, managed);
  auto plain = testbench::try_export(testbench::wrappings(c.producer).front(), c.producer, tensor,
                                     request_for(Form::versioned));
  if (!plain || !plain->ok()) throw NotClaimed{"a way to see copies"};
  return plain->value().managed().first_element() != managed.first_element();
}

// A copy has bit 1, and shared memory has none: what should have been copied is another rule's.
void expect_bit_of_copies(const Case& c, const Managed& exported, bool copy,
                          std::string_view what) {
  if (!copy && !says_copied(exported)) throw Declined{"memory is shared"};
  expect_copied_bit(c, exported, what);
  expect(copy, "data of an export that says it is copied: found inside its source");
}

DLCERT_CHECK(requested_copies_say_so,
             producer_check("abi.flags.copied-bit", "an export copied on request has bit 1",
                            exporting)) {
  const TensorSpec spec = draw_claimed(c, {.shape = {.empty = false}, .padded = false});
  const Tensor tensor = create(c, spec, draw_logical(c.draw, spec));
  dlcert_request wanted = request_for(Form::versioned);
  wanted.copy = boolean(true);
  const Exported out = export_or_skip(c, tensor, wanted, "copies on request");
  if (!out.managed().versioned()) throw NotClaimed{"versioned exports"};
  expect_bit_of_copies(c, out.managed(), is_copy(c, tensor, out.managed()), "a requested copy");
}

constexpr std::array<dlcert_dtype, 4> sub_byte_dtypes{
    {{kDLFloat4_e2m1fn, 4, 1}, {kDLInt, 4, 1}, {kDLUInt, 4, 1}, {kDLFloat6_e2m3fn, 6, 1}}};

TensorSpec draw_padded(Case& c) {
  const std::int64_t extent = c.draw.between(2, 9);
  TensorSpec spec = compact_spec(c.draw.one_of(sub_byte_dtypes), {extent});
  spec.flags = DLCERT_SPEC_SUBBYTE_PADDED;
  return spec;
}

dlcert_request draw_copy_request(Draw& draw) {
  dlcert_request asked = request_for(Form::versioned);
  asked.copy = boolean(true);
  if (draw.flip()) asked.dl_device = pair(kDLCPU, 0);
  return asked;
}

// A request that the library cannot form with a device is made without.
Outcome<Exported> ask_for_copy(Case& c, const Tensor& tensor) {
  const testbench::Wrapping wrapping = testbench::draw_wrapping(c);
  dlcert_request asked = draw_copy_request(c.draw);
  if (auto copy = testbench::try_export(wrapping, c.producer, tensor, asked))
    return std::move(*copy);
  asked.dl_device = absent();
  return testbench::export_by(wrapping, c.producer, tensor, asked);
}

Exported export_requested_copy(Case& c, const Tensor& tensor) {
  auto copy = ask_for_copy(c, tensor);
  if (!copy.ok()) throw NotClaimed{"copies on request"};
  if (!copy.value().managed().versioned()) throw NotClaimed{"versioned exports"};
  return std::move(copy).value();
}

// Read-only, padded or another library's: no other flag takes the place of bit 1.
DLCERT_CHECK(copies_of_any_tensor_say_so,
             producer_check("abi.flags.copied-bit",
                            "a requested copy of read-only or padded data has bit 1", exporting)) {
  TensorSpec spec = c.draw.flip() ? draw_padded(c) : draw_claimed(c, {.shape = {.empty = false}});
  if (c.draw.flip()) spec.flags |= DLCERT_SPEC_READ_ONLY;
  const Tensor tensor = create(c, spec, draw_logical(c.draw, spec));
  const Exported copy = export_requested_copy(c, tensor);
  expect_bit_of_copies(c, copy.managed(), is_copy(c, tensor, copy.managed()), "a requested copy");
}

struct ImportedHere {
  DrawnOffer drawn;
  Import import;

  ImportedHere(Case& c, const DescriptorChange& change)
      : drawn{draw(c, change)}, import{c.producer, *drawn.offer, drawn.path.route} {
    require_accepted(import, c.producer, *drawn.offer);
  }

 private:
  static DrawnOffer draw(Case& c, const DescriptorChange& change) {
    const ImportPath path = draw_import_path(c.draw, c.producer.consuming(), Form::versioned);
    TensorSpec spec =
        draw_spec(c.draw, c.producer.consuming(), {.shape = {.empty = false}, .padded = false});
    Bytes logical = draw_logical(c.draw, spec);
    Descriptor descriptor = describe_spec(spec, Form::versioned, c.draw.flip());
    change(descriptor);
    auto offer = std::make_unique<Offer>(descriptor, scatter(spec, logical));
    return {{std::move(spec), std::move(logical), std::move(offer)}, path};
  }
};

// What an import was flagged with does not hold of its export: copies are the consumer's alone, and
// this memory has two users.
DLCERT_CHECK(shared_imports_do_not_say_copied,
             if_touched(producer_check(
                 "abi.flags.copied-bit",
                 "an export of an imported tensor's own memory lacks bit 1, whatever it came with",
                 exporting | Can::any_import | Can::describe))) {
  const bool was_copied = c.draw.flip();
  ImportedHere imported{c, [&](Descriptor& descriptor) {
                          if (was_copied) descriptor.flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
                        }};
  const Exported out =
      export_or_skip(c, imported.import.tensor(), request_for(Form::versioned), "this export");
  if (!out.managed().versioned()) throw NotClaimed{"versioned exports"};
  if (out.managed().first_element() != imported.drawn.offer->first_element())
    throw Declined{"copied"};
  c.touched();
  expect_field(out.managed(), !says_copied(out.managed()),
               "!(exported.flags & DLPACK_FLAG_BITMASK_IS_COPIED)",
               "flags of an export of an import's own memory: expected no bit 1 but found {:#x}",
               out.managed().flags());
}

DLCERT_CHECK(copies_of_imports_say_so,
             producer_check("abi.flags.copied-bit", "a requested copy of an import has bit 1",
                            exporting | Can::any_import | Can::describe)) {
  ImportedHere imported{c, [](Descriptor&) {}};
  const Exported copy = export_requested_copy(c, imported.import.tensor());
  expect_bit_of_copies(c, copy.managed(),
                       copy.managed().first_element() != imported.drawn.offer->first_element(),
                       "a requested copy of an import");
}

// Two exports at a time that lie in different places outside their source are copies, each made for
// its consumer.
DLCERT_CHECK(unasked_copies_say_so,
             if_touched(producer_check("abi.flags.copied-bit",
                                       "an export that is a copy, though nobody asked, has bit 1",
                                       exporting | Can::describe))) {
  const TensorSpec spec = draw_claimed(c, {.shape = {.empty = false}, .padded = false});
  const Tensor tensor = create(c, spec, draw_logical(c.draw, spec));
  const dlcert_request asked = request_for(Form::versioned);
  const Exported one = export_or_skip(c, tensor, asked, "this export");
  const Exported two = export_or_skip(c, tensor, asked, "this export");
  if (!one.managed().versioned() || !two.managed().versioned())
    throw NotClaimed{"versioned exports"};
  if (one.managed().first_element() == two.managed().first_element())
    throw Declined{"not copied, or not anew"};
  c.touched();
  if (says_copied(one.managed()) && !within_source(c, tensor, two.managed()))
    return expect_copied_bit(c, two.managed(), "a copy that nobody asked for");
  if (!within_source(c, tensor, one.managed()))
    expect_copied_bit(c, one.managed(), "a copy that nobody asked for");
}

// Bytes that no element strides can describe leave as a copy, if at all.
DLCERT_CHECK(forced_copies_say_so,
             producer_check("abi.flags.copied-bit", "an export that had to be copied has bit 1",
                            exporting)) {
  TensorSpec spec = compact_spec(float32, {3});
  spec.flags = DLCERT_SPEC_BYTE_STRIDES;
  spec.strides = {5};
  spec.storage_size = 15;
  const Tensor tensor = create(c, spec, draw_logical(c.draw, spec));
  const Exported out =
      export_or_skip(c, tensor, request_for(Form::versioned), "export of indivisible strides");
  if (!out.managed().versioned()) throw NotClaimed{"versioned exports"};
  expect_bit_of_copies(c, out.managed(), is_copy(c, tensor, out.managed()), "a forced copy");
}

DLCERT_CHECK(shared_exports_do_not_say_copied,
             producer_check("abi.flags.copied-bit",
                            "an export of the source's own memory lacks bit 1", exporting)) {
  const ExportedSource exported =
      export_in(c, Form::versioned, draw_claimed(c, {.shape = {.empty = false}, .padded = false}));
  if (!within_source(c, exported.tensor, exported.managed()))
    throw NotClaimed{"exports that are seen to share memory"};
  expect_field(exported.managed(), !says_copied(exported.managed()),
               "!(exported.flags & DLPACK_FLAG_BITMASK_IS_COPIED)",
               "flags of an export inside its source: expected no bit 1 but found {:#x}",
               exported.managed().flags());
}

DLCERT_CHECK(padded_exports_say_so,
             producer_check("abi.flags.subbyte-padded-bit",
                            "an export of padded sub-byte elements has bit 2", exporting)) {
  const ExportedSource exported = export_in(c, Form::versioned, draw_padded(c));
  const bool said = (exported.managed().flags() & padded) != 0;
  c.observe(said ? "padded" : "repacked");
  if (shares_memory(c, exported))
    expect_flags(exported.managed(), said,
                 "exported.flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED",
                 "flags of padded sub-byte elements: expected bit 2");
  expect_gathered(exported.managed(), exported.logical);
}

DLCERT_CHECK(padded_elements_do_not_leave_in_legacy_form,
             if_touched(producer_check("abi.flags.legacy-none",
                                       "padded elements are refused or repacked in legacy form",
                                       exporting))) {
  const TensorSpec spec = draw_padded(c);
  const Bytes logical = draw_logical(c.draw, spec);
  const Tensor tensor = create(c, spec, logical);
  const auto out = export_or_refusal(c, tensor, Form::legacy, Refusal::meets_the_rule);
  if (out) expect_gathered(out->managed(), logical);
}

// ---- consumers ----------------------------------------------------------------------------------

// What is claimed must be taken.
void expect_right(Case& c, const ImportPath& path, const TensorSpec& spec, const Bytes& logical) {
  ImportedOffer imported{c, path.route, make_offer(spec, logical, path.form)};
  if (c.consumer.can(spec)) imported.expect_accepted();
  expect_right_if_accepted(c, imported, spec, logical);
}

// The same elements, once padded and once packed.
DLCERT_CHECK(padding_is_honoured,
             if_touched(consumer_check("abi.flags.subbyte-padded-honoured",
                                       "sub-byte elements are read as bit 2 says, or refused",
                                       importing))) {
  const TensorSpec in_bytes = draw_padded(c);
  const TensorSpec in_bits = compact_spec(in_bytes.dtype, in_bytes.shape);
  if (!c.consumer.can(in_bytes) && !c.consumer.can(in_bits)) throw NotClaimed{"sub-byte elements"};
  const Bytes logical = draw_logical(c.draw, in_bits);
  const ImportPath path = draw_import_path(c.draw, c.consumer, Form::versioned);
  expect_right(c, path, in_bytes, logical);
  expect_right(c, path, in_bits, logical);
}

// Bits that stand beside it: what they say does not change how elements lie.
DLCERT_CHECK(padding_is_honoured_beside_other_flags,
             if_touched(consumer_check("abi.flags.subbyte-padded-honoured",
                                       "bit 2 is honoured beside other flags and under any minor "
                                       "version, or the tensor is refused",
                                       importing))) {
  constexpr std::array<std::uint64_t, 6> beside{read_only,
                                                DLPACK_FLAG_BITMASK_IS_COPIED,
                                                read_only | DLPACK_FLAG_BITMASK_IS_COPIED,
                                                std::uint64_t{1} << 3,
                                                std::uint64_t{1} << 40,
                                                0};
  constexpr std::array<std::uint32_t, 5> minors{3, 1, 2, 4, 1000};
  const TensorSpec spec = draw_padded(c);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer, Form::versioned);
  Descriptor descriptor = describe_spec(spec, path.form);
  descriptor.flags |= c.draw.one_of(beside);
  descriptor.version.minor = c.draw.one_of(minors);
  ImportedOffer imported{c, path.route, descriptor, scatter(spec, logical)};
  expect_right_if_accepted(c, imported, spec, logical);
}

DLCERT_CHECK(unknown_flags_are_recorded,
             if_touched(consumer_check("abi.flags.unknown-bits",
                                       "what the consumer makes of undefined flags is recorded",
                                       importing))) {
  constexpr std::array<unsigned, 5> bits{3, 63, 4, 31, 32};
  const ImportPath path = draw_import_path(c.draw, c.consumer, Form::versioned);
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const Bytes logical = draw_logical(c.draw, spec);
  Descriptor descriptor = describe_spec(spec, path.form);
  descriptor.flags = std::uint64_t{1} << c.draw.one_of(bits);
  ImportedOffer imported{c, path.route, descriptor, scatter(spec, logical)};
  judge_by_policy(c, imported, "unknown-flag-bits");
  if (imported.accepted()) imported.expect_holds(spec, logical);
  imported.expect_one_deletion();
}

// An inaccessible page follows the struct.
DLCERT_CHECK(nothing_is_read_behind_a_legacy_tensor,
             consumer_check("abi.flags.legacy-none",
                            "the consumer reads nothing behind the deleter of a legacy tensor",
                            importing)) {
  const TensorSpec spec = draw_claimed(c);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer, Form::legacy);
  ImportedOffer imported{c, path.route, make_offer(spec, logical, path.form)};
  imported.expect_accepted();
  imported.expect_holds(spec, logical);
  imported.expect_one_deletion();
}

}  // namespace
}  // namespace dlcert::abi
