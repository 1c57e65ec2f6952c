// SPDX-License-Identifier: Apache-2.0

#include "abi/support.hpp"

#include <utility>

#include <dlcert/suite/threads.hpp>

#include "testbench/facts.hpp"

namespace dlcert::abi {

using testbench::export_either;

TensorSpec draw_claimed(Case& c, const SpecBounds& bounds) {
  return draw_spec(c.draw, c.subject(), bounds);
}

Form draw_form(Draw& draw) {
  return draw.flip() ? Form::legacy : Form::versioned;
}

TensorSpec vector_spec(dlcert_dtype dtype, const Bytes& logical) {
  const auto count = logical.size() / logical_item_size(dtype);
  return compact_spec(dtype, {static_cast<std::int64_t>(count)});
}

namespace {

struct Values {
  TensorSpec spec;
  Bytes logical;
};

// A vector of the values or, where the subject claims none, a tensor of another shape, which
// repeats them.
Values claimed_vector(Case& c, dlcert_dtype dtype, const Bytes& values) {
  const TensorSpec vector = vector_spec(dtype, values);
  if (c.subject().can(vector)) return {vector, values};
  const TensorSpec spec = draw_spec_of(c.draw, c.subject(), dtype, {.empty = false});
  Bytes logical(static_cast<std::size_t>(spec.element_count()) * logical_item_size(dtype));
  for (std::size_t at = 0; at < logical.size(); ++at)
    logical[at] = values[at % values.size()];
  return {spec, logical};
}

}  // namespace

Tensor create(const Case& c, const TensorSpec& spec, const Bytes& logical) {
  require_claimed(c.subject(), spec);
  return require(c.producer.create(spec, logical), "creation of a claimed tensor");
}

ExportedSource export_made(Case& c, TensorSpec spec, Bytes logical) {
  Tensor tensor = create(c, spec, logical);
  Exported out = export_either(c, tensor);
  return {std::move(spec), std::move(logical), std::move(tensor), std::move(out)};
}

ExportedSource export_spec(Case& c, TensorSpec spec) {
  Bytes logical = draw_logical(c.draw, spec);
  return export_made(c, std::move(spec), std::move(logical));
}

ExportedSource export_drawn(Case& c, const SpecBounds& bounds) {
  return export_spec(c, draw_claimed(c, bounds));
}

ExportedSource export_in(Case& c, Form form, TensorSpec spec) {
  const std::string_view what = form == Form::versioned ? "versioned exports" : "legacy exports";
  Bytes logical = draw_logical(c.draw, spec);
  Tensor tensor = create(c, spec, logical);
  Exported out = export_or_skip(c, tensor, request_for(form), what);
  if (out.managed().versioned() != (form == Form::versioned)) throw NotClaimed{what};
  return {std::move(spec), std::move(logical), std::move(tensor), std::move(out)};
}

std::optional<Exported> export_or_refusal(Case& c, const Tensor& tensor, Form form,
                                          Refusal refusal) {
  const testbench::Wrapping wrapping = testbench::draw_wrapping(c);
  auto out = testbench::export_by(wrapping, c.producer, tensor, request_for(form));
  if (out.ok()) {
    c.touched();
    c.observe("exported");
    return std::move(out).value();
  }
  if (refusal == Refusal::declines) {
    c.declined("refused");
  } else {
    c.observe("refused");
    testbench::touched_if_exports_plain(c, wrapping, form);
  }
  return std::nullopt;
}

std::optional<Exported> try_export_state(Case& c, TensorSpec spec, std::int32_t state,
                                         const Bytes& logical) {
  spec.state = state;
  const Tensor tensor = create(c, spec, logical);
  return export_or_refusal(c, tensor, draw_form(c.draw), Refusal::meets_the_rule);
}

bool shares_memory(const Case& c, const ExportedSource& exported) {
  if (!c.producer.offers(Needs{} | Can::describe)) return false;
  const Description description = require(c.producer.describe(exported.tensor), "describe");
  return description.data != nullptr && description.data == exported.managed().first_element();
}

dlcert_dtype exported_dtype(const Managed& managed) {
  const DLDataType& dtype = managed.tensor().dtype;
  return {dtype.code, dtype.bits, dtype.lanes};
}

void expect_copied_bit(const Case& c, const Managed& copy, std::string_view what) {
  const bool said = testbench::says_copied(copy);
  if (!said && !testbench::copy_needs_flag(c.producer, copy))
    throw Declined{"a copy without the flag, which only the Python protocol demands"};
  expect_field(copy, said, "exported.flags & DLPACK_FLAG_BITMASK_IS_COPIED",
               "flags of {}: expected bit 1 but found {:#x}", what, copy.flags());
}

ImportedOffer::ImportedOffer(const Case& c, Route route, std::unique_ptr<Offer> offer)
    : consumer_{c.consumer},
      route_{route},
      offer_{std::move(offer)},
      import_{c.consumer, *offer_, route} {}

ImportedOffer::ImportedOffer(const Case& c, Route route, const Descriptor& descriptor,
                             const Bytes& storage)
    : ImportedOffer{c, route, std::make_unique<Offer>(descriptor, storage)} {}

Outcome<Description> ImportedOffer::try_description() {
  return consumer_.describe(import_.tensor());
}

Description ImportedOffer::description() {
  return require(try_description(), "description of an imported tensor");
}

Bytes ImportedOffer::read() {
  const Description said = description();
  std::size_t count = 1;
  for (const std::int64_t extent : said.shape)
    count *= static_cast<std::size_t>(extent);
  return testbench::read_back(consumer_, import_.tensor(), count * logical_item_size(said.dtype));
}

void ImportedOffer::expect_accepted() const {
  if (!accepted()) [[unlikely]]
    owned_by("protocol.from.new-array", [&] {
      fail(fmt::format("import: expected success but found {}", to_text(error())),
           {.by = Judgement::By::success});
    });
}

void ImportedOffer::expect_refused(std::string_view what) const {
  expect_refusal(!accepted(), "import of {}: expected a refusal but found success", what);
}

void ImportedOffer::expect_holds(const TensorSpec& spec, const Bytes& logical) {
  testbench::expect_holds(consumer_, import_.tensor(), spec, logical);
}

void ImportedOffer::expect_on(dlcert_device device) {
  if (consumer_.offers(Needs{} | Can::dlpack_device)) {
    if (auto reported = consumer_.dlpack_device(import_.tensor()); reported.ok())
      expect_equal("device that dlpack_device reports of the import", device, reported.value());
  }
  if (!consumer_.offers(Needs{} | Can::export_managed) &&
      !consumer_.offers(Needs{} | Can::any_capsule))
    return;
  auto exported =
      testbench::try_export(testbench::wrappings(consumer_).front(), consumer_, import_.tensor(),
                            testbench::request_for(offer_->descriptor().form));
  if (exported && exported->ok())
    testbench::expect_device(exported->value().managed(), device, "device of the import's export");
}

void ImportedOffer::expect_one_deletion() {
  import_.finish();
  if (accepted()) return expect_deleted_once(*offer_);
  owned_by("lifetime.failed-import.single-release", [&] { expect_deleted_once(*offer_); });
}

void ImportedOffer::expect_deletion() {
  import_.finish();
  expect_deletions(1, *offer_);
}

bool ImportedOffer::deleted_once() {
  import_.finish();
  await([&] { return offer_->deleter_calls() != 0; });
  return offer_->deleter_calls() == 1;
}

void expect_imports(Case& c, const TensorSpec& spec, const Bytes& logical) {
  require_claimed(c.subject(), spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, logical, path.form)};
  imported.expect_accepted();
  imported.expect_holds(spec, logical);
  imported.expect_one_deletion();
}

void touched_by_outcome(Case& c, const ImportedOffer& imported) {
  if (imported.accepted())
    c.touched();
  else
    testbench::touched_if_takes_plain(c, imported.path());
}

void touched_by_version(Case& c, const ImportedOffer& imported) {
  if (imported.handed_out())
    touched_by_outcome(c, imported);
  else
    c.declined("refused without a look at it");
}

void expect_right_if_accepted(Case& c, ImportedOffer& imported, const TensorSpec& spec,
                              const Bytes& logical) {
  if (imported.accepted()) {
    c.observe("accepted");
    imported.expect_holds(spec, logical);
    c.touched();
  } else {
    c.declined("refused");
  }
  imported.expect_one_deletion();
}

void expect_refused_or_unchanged(Case& c, ImportedOffer& imported) {
  if (!imported.accepted()) {
    c.observe("refused");
    touched_by_outcome(c, imported);
  } else if (const auto said = imported.try_description(); !said.ok()) {
    c.declined("accepted, not described");
  } else {
    c.touched();
    const auto policy = c.settings.policy("passthrough-consumer");
    const bool allowed = policy == "allow" ||
                         (policy == "declared" && c.consumer.declares(DLCERT_PASSES_CODES_THROUGH));
    if (!allowed) imported.expect_refused("a code that the consumer need not know");
    const Descriptor& offered = imported.offer().descriptor();
    Description found = imported.description();
    testbench::expect_described_dtype(offered.dtype, found.dtype);
    testbench::expect_described_device(offered.device, found.device);
    c.observe("handed on unchanged");
  }
  imported.expect_one_deletion();
}

void judge_by_policy(Case& c, const ImportedOffer& imported, std::string_view policy) {
  c.observe(imported.accepted() ? "accepted" : "refused");
  touched_by_outcome(c, imported);
  const auto value = c.settings.policy(policy);
  if (value == "record") return;
  if (value == "refuse")
    imported.expect_refused("what the policy says to refuse");
  else
    imported.expect_accepted();
}

void expect_crosses(Case& c, dlcert_dtype dtype, const Bytes& values) {
  const auto [spec, elements] = claimed_vector(c, dtype, values);
  if (c.role() == Role::consumer) return expect_imports(c, spec, elements);
  const ExportedSource exported = export_made(c, spec, elements);
  testbench::expect_describes(exported.managed(), spec, elements);
}

}  // namespace dlcert::abi
