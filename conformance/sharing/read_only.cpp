// SPDX-License-Identifier: Apache-2.0
//
// Read-only tensors: neither side writes to them, and the flag says so.
#include <array>
#include <optional>

#include "registration.hpp"
#include "sharing/support.hpp"

namespace dlcert::sharing {

DLCERT_FAMILY(read_only)

namespace {

using testbench::export_tensor;
using testbench::make_source;

void say_read_only(Descriptor& descriptor) {
  descriptor.flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
}

void say_read_only_on_protected_pages(Descriptor& descriptor) {
  say_read_only(descriptor);
  descriptor.protection = Protection::read_only_data;
}

// ---- nobody writes unasked ----------------------------------------------------------------------

// Empty where the library cannot, or does not give a versioned tensor.
std::optional<Managed> export_again(const Case& c, const Tensor& tensor) {
  if (!c.consumer.offers(Needs{} | Can::export_managed)) return std::nullopt;
  auto exported =
      c.consumer.export_managed(tensor, request_version(own_version.major, own_version.minor));
  if (!exported.ok() || !exported.value().versioned()) return std::nullopt;
  return std::move(exported).value();
}

DLCERT_CHECK(read_only_memory_is_not_written,
             consumer_check("sharing.read-only-not-written",
                            "import, reading, export and release write nothing to read-only memory",
                            importing)) {
  const DrawnOffer drawn =
      draw_versioned_offer(c, {.shape = with_elements}, say_read_only_on_protected_pages);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  if (!import.accepted()) throw NotClaimed{"read-only tensors"};
  expect_holds(c.consumer, import.tensor(), drawn.spec, drawn.logical);
  c.observe(export_again(c, import.tensor()) ? "exported again" : "not exported again");
  import.finish();
  expect_deleted_once(*drawn.offer);
}

// ---- the flag follows the data ------------------------------------------------------------------

void expect_write_refused(const Case& c, const Tensor& tensor, const DrawnOffer& drawn) {
  if (!c.consumer.offers(Needs{} | Can::write)) return;
  const auto written = c.consumer.write(tensor, different_logical(drawn.spec, drawn.logical));
  expect_refusal(!written.ok(),
                 "write to an imported read-only tensor: expected a refusal but found success");
  expect_equal("the producer's elements", drawn.logical, drawn.offer->logical());
}

void expect_flag_on_export(const Case& c, const Tensor& tensor) {
  const auto exported = export_again(c, tensor);
  if (exported && !says_copied(*exported))
    expect_equal("read-only bit of the new export", true,
                 (exported->flags() & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
}

void judge_read_only(Case& c, const Tensor& tensor, const DrawnOffer& drawn) {
  const Description said =
      require(c.consumer.describe(tensor), "description of an imported tensor");
  if (said.data != drawn.offer->first_element())
    throw Declined{"copied"};  // its own memory may be writable
  c.touched();
  if (c.settings.policy("read-only-flag") == "record")
    return c.observe(said.read_only ? "read-only" : "writable");
  c.minor([&] { expect_equal("read-only", true, said.read_only); });
  expect_write_refused(c, tensor, drawn);
  expect_flag_on_export(c, tensor);
}

DLCERT_CHECK(
    read_only_tensor_stays_read_only,
    if_touched(consumer_check("sharing.read-only-propagated",
                              "a read-only tensor is imported and exported again as read-only",
                              importing | Can::knows_read_only))) {
  const DrawnOffer drawn = draw_versioned_offer(c, {.shape = with_elements}, say_read_only);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  if (!import.accepted()) throw NotClaimed{"read-only tensors"};
  judge_read_only(c, import.tensor(), drawn);
  import.finish();
}

// Whether the library has read-only tensors of its own, so that it can keep what it was told: it
// says so, makes them, or describes this one as such.
bool can_be_read_only(const Case& c, const DrawnOffer& drawn, const Description& said) {
  TensorSpec own = drawn.spec;
  own.flags |= DLCERT_SPEC_READ_ONLY;
  return c.consumer.declares(DLCERT_KNOWS_READ_ONLY) || said.read_only || c.consumer.can(own);
}

// Exports the tensor, or another handle on its memory where the library has such.
Outcome<testbench::Exported> hand_on(Case& c, const Tensor& tensor) {
  const testbench::Wrapping wrapping = c.draw.one_of(testbench::wrappings(c.consumer));
  const dlcert_request asked = testbench::request_for(Form::versioned);
  if (c.consumer.offers(Needs{} | Can::alias) && c.draw.flip()) {
    auto alias = c.consumer.alias(tensor);
    if (alias.ok()) return testbench::export_by(wrapping, c.consumer, alias.value(), asked);
  }
  return testbench::export_by(wrapping, c.consumer, tensor, asked);
}

// Whether what was exported is the offer's own memory, and not a copy.
bool is_own_memory(const DrawnOffer& drawn, const Managed& exported) {
  const std::byte* const first = exported.first_element();
  const std::byte* const begin = drawn.offer->storage();
  return first >= begin && first < begin + drawn.offer->storage_bytes();
}

// Where its memory is handed on, whichever function or handle that is by.
DLCERT_CHECK(read_only_memory_is_handed_on_as_read_only,
             if_touched(consumer_check(
                 "sharing.read-only-propagated",
                 "read-only memory of another library is handed on as read-only", importing))) {
  const DrawnOffer drawn = draw_versioned_offer(c, {.shape = with_elements}, say_read_only);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  if (!import.accepted()) throw NotClaimed{"read-only tensors"};
  const Description said =
      require(c.consumer.describe(import.tensor()), "description of an imported tensor");
  const std::string_view policy = c.settings.policy("read-only-flag");
  const bool is_judged = policy == "keep" || can_be_read_only(c, drawn, said);
  auto exported = hand_on(c, import.tensor());
  if (!exported.ok()) throw Declined{"not exported again"};
  const Managed& handed_on = exported.value().managed();
  if (!handed_on.versioned()) throw Declined{"exported again in the legacy form"};
  if (!is_own_memory(drawn, handed_on)) throw Declined{"copied"};
  const bool said_so = (handed_on.flags() & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  if (!is_judged && !said_so)
    throw Declined{"handed on as writable by a library without read-only tensors"};
  c.touched();
  if (policy == "record") return c.observe(said_so ? "read-only" : "writable");
  expect_field(handed_on, said_so, "exported.flags & DLPACK_FLAG_BITMASK_READ_ONLY",
               "flags of read-only memory that is handed on: expected bit 0 but found {:#x}",
               handed_on.flags());
}

// Of a copy that is the consumer's alone too, and under a newer minor version.
DLCERT_CHECK(
    read_only_bit_is_seen_beside_others,
    if_touched(consumer_check("sharing.read-only-propagated",
                              "a read-only tensor stays read-only where other flags are set, and "
                              "under any minor version",
                              importing | Can::knows_read_only))) {
  const bool copied = c.draw.flip();
  constexpr std::array<std::uint32_t, 5> minors{3, 0, 1, 4, 1000};
  const std::uint32_t minor = c.draw.one_of(minors);
  const DrawnOffer drawn = draw_versioned_offer(
      c, {.dtypes = Dtypes::float32_only, .shape = with_elements}, [&](Descriptor& descriptor) {
        say_read_only(descriptor);
        if (copied) descriptor.flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
        descriptor.version.minor = minor;
      });
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  if (!import.accepted()) throw NotClaimed{"read-only tensors"};
  judge_read_only(c, import.tensor(), drawn);
  import.finish();
}

// A library that writes to no array may say of each that it is read-only.
DLCERT_CHECK(writable_tensor_stays_writable,
             consumer_check("sharing.read-only-propagated",
                            "a writable tensor is imported as writable",
                            importing | Can::knows_read_only | Can::write)) {
  const DrawnOffer drawn = draw_versioned_offer(c, writable_view, nullptr);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  const Description said =
      require(c.consumer.describe(import.tensor()), "description of an imported tensor");
  if (c.settings.policy("read-only-flag") == "record")
    return c.observe(said.read_only ? "read-only" : "writable");
  expect_equal("read-only", false, said.read_only);
  const Bytes changed = different_logical(drawn.spec, drawn.logical);
  write_all(c.consumer, import.tensor(), changed);
  if (said.data == drawn.offer->first_element())
    expect_equal("the producer's elements", changed, drawn.offer->logical());
}

DLCERT_CHECK(read_only_tensor_is_taken_anyway,
             consumer_check("sharing.read-only-ignored-not-raised",
                            "a library without read-only tensors imports them all the same",
                            importing)) {
  if (c.consumer.declares(DLCERT_KNOWS_READ_ONLY))
    throw NotClaimed{"being without read-only tensors"};
  const DrawnOffer drawn = draw_versioned_offer(c, {.shape = with_elements}, say_read_only);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  expect_acceptance(import.accepted(),
                    "import of a read-only tensor: expected success but found {}",
                    import.accepted() ? "" : to_text(import.error()));
  import.finish();
}

// ---- legacy tensors cannot say it ---------------------------------------------------------------

void judge_legacy(Case& c, const Outcome<Exported>& exported, bool copied) {
  const std::string_view policy = c.settings.policy("read-only-legacy");
  if (exported.ok())
    c.observe(copied ? "copied" : "shared");
  else
    c.observe("refused");
  if (policy == "record" || !exported.ok()) return;
  expect(policy == "copy" && copied, "legacy export of read-only data: expected {} but found {}",
         policy == "copy" ? "a refusal or a copy" : "a refusal",
         copied ? "a copy" : "shared memory");
}

DLCERT_CHECK(legacy_export_of_read_only_data,
             producer_check("sharing.read-only-legacy-export",
                            "a legacy export of read-only data is refused, copied or shared",
                            exporting | Can::describe)) {
  TensorSpec spec = draw_spec(c.draw, c.producer, {.shape = with_elements, .padded = false});
  spec.flags |= DLCERT_SPEC_READ_ONLY;
  require_claimed(c.producer, spec);
  const Source source = make_source(c, std::move(spec));
  const Description said = require(c.producer.describe(source.tensor), "description of a tensor");
  auto exported = export_tensor(c, source.tensor, request());
  if (exported.ok()) expect_describes(exported.value().managed(), source.spec, source.logical);
  judge_legacy(c, exported,
               exported.ok() && exported.value().managed().first_element() != said.data);
}

}  // namespace
}  // namespace dlcert::sharing
