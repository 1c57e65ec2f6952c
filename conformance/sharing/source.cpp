// SPDX-License-Identifier: Apache-2.0
//
// Source and result after the exchange: both usable, and neither in need of the other.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "registration.hpp"
#include "sharing/support.hpp"
#include "testbench/freed_memory.hpp"

namespace dlcert::sharing {

DLCERT_FAMILY(source)

namespace {

using testbench::draw_wrapping;
using testbench::exports_plain;
using testbench::FreedMemoryReuse;
using testbench::HeapPoison;
using testbench::shares_memory;
using testbench::try_export;
using testbench::Wrapping;
using testbench::wrappings;

// ---- the source stays an ordinary tensor --------------------------------------------------------

void expect_ordinary(Case& c, const Source& source) {
  const Description said = require(c.producer.describe(source.tensor), "description of the source");
  c.minor([&] {
    expect_equal("dtype of the source", source.spec.dtype, said.dtype);
    expect_equal("shape of the source", source.spec.shape, said.shape);
  });
  expect_equal("elements of the source", source.logical,
               read_all(c.producer, source.tensor, source.spec));
  const Exported again = export_either(c, source.tensor);
  expect_describes(again.managed(), source.spec, source.logical);
}

void expect_aliases_work(const Case& c, const Source& source) {
  const Tensor view = require(c.producer.alias(source.tensor), "alias of the source");
  expect_equal("elements of an alias", source.logical, read_all(c.producer, view, source.spec));
}

DLCERT_CHECK(source_is_usable_after,
             producer_check("sharing.source-usable-after",
                            "source and result can be described, read, aliased and exported again",
                            exporting | Can::describe | Can::read)) {
  const Source source = draw_source(c, {.read_only = true});
  const bool has_aliases =
      c.producer.offers(Needs{} | Can::alias) && c.producer.alias(source.tensor).ok();
  {
    const Tensor result = hand_over(c, source.tensor);
    expect_ordinary(c, source);
    if (has_aliases) expect_aliases_work(c, source);
    expect_holds(c.consumer, result, source.spec, source.logical);
  }
  expect_ordinary(c, source);
}

// ---- a result is an ordinary tensor: it can be exported again -----------------------------------

bool exports_versioned(const Party& producer) {
  return std::ranges::any_of(wrappings(producer), [&](Wrapping wrapping) {
    return exports_plain(producer, wrapping, Form::versioned);
  });
}

// Returns whether the library exports a tensor of its own like this one: it owes an import no more
// than it owes its other tensors.
bool exports_its_own(const Party& library, const TensorSpec& spec) {
  if (!library.can(spec)) return false;
  const auto size = static_cast<std::size_t>(spec.element_count()) * logical_item_size(spec.dtype);
  auto made = library.create(spec, Bytes(size));
  if (!made.ok()) return false;
  return std::ranges::any_of(wrappings(library), [&](Wrapping wrapping) {
    return std::ranges::any_of(std::array{Form::versioned, Form::legacy}, [&](Form form) {
      const auto exported =
          try_export(wrapping, library, made.value(), testbench::request_for(form));
      return exported && exported->ok();
    });
  });
}

// Exports an imported tensor. The legacy form cannot say that a tensor is read-only, so a library
// that has no other form may refuse a read-only one.
Exported export_imported(Case& c, const Tensor& imported) {
  const bool read_only =
      require(c.producer.describe(imported), "description of an imported tensor").read_only;
  if (!read_only) return export_either(c, imported);
  const bool versioned = exports_versioned(c.producer);
  auto exported = try_export(draw_wrapping(c), c.producer, imported,
                             testbench::request_for(versioned ? Form::versioned : Form::legacy));
  if (!exported) throw NotFormable{};
  if (exported->ok()) return std::move(*exported).value();
  if (!versioned) throw Declined{"the legacy form cannot say that an import is read-only"};
  fail(fmt::format("export of an imported tensor: expected success but found {}",
                   to_text(exported->error())),
       {.by = Judgement::By::success});
}

Exported export_like_its_own(Case& c, const Tensor& imported, const TensorSpec& spec) {
  try {
    return export_imported(c, imported);
  } catch (const Failure&) {
    if (!exports_its_own(c.producer, spec)) throw Declined{"exports no such tensor of its own"};
    throw;
  }
}

DLCERT_CHECK(imported_tensor_is_exported_again,
             producer_check("sharing.source-usable-after",
                            "an imported tensor can be exported again, and either may go first",
                            exporting | Can::any_import | Can::describe | Can::read)) {
  const DrawnOffer drawn = draw_offer(c.draw, c.producer.consuming());
  Import import{c.producer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.producer, drawn.path.form);
  const bool shared = shares_memory(c.producer, import.tensor(), drawn);
  Exported exported = export_like_its_own(c, import.tensor(), drawn.spec);
  expect_describes(exported.managed(), drawn.spec, drawn.logical);
  if (c.draw.flip()) {
    import.finish();
    expect_describes(exported.managed(), drawn.spec, drawn.logical);
    if (shared && exported.managed().first_element() == drawn.offer->first_element())
      expect_equal("deleter calls while an export is outstanding", 0, drawn.offer->deleter_calls());
    exported.release();
  } else {
    exported.release();
    expect_equal("elements of the imported tensor", drawn.logical,
                 read_all(c.producer, import.tensor(), drawn.spec));
    import.finish();
  }
  expect_deleted_once(*drawn.offer);
}

// ---- the result needs no source -----------------------------------------------------------------

DLCERT_CHECK(result_survives_its_source,
             producer_check("sharing.survives-source-drop",
                            "the result holds its elements when the source is gone", exporting)) {
  Source source = draw_source(c, {.read_only = true});
  const Tensor result = hand_over(c, source.tensor);
  source.tensor.release();
  const FreedMemoryReuse reuse{c, source};
  owned_by("lifetime.memory-valid-until-deleter",
           [&] { expect_holds(c.consumer, result, source.spec, source.logical); });
}

// The object or capsule that the tensor came from is gone, and the library goes on working.
DLCERT_CHECK(
    imported_tensor_survives_its_source,
    consumer_check("sharing.survives-source-drop",
                   "an imported tensor stays valid when the object that it came from is gone",
                   importing)) {
  const DrawnOffer drawn = draw_offer(c, {.read_only = true});
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  import.drop_source();
  for (int i = 0; i < 2; ++i) {
    const HeapPoison poison;
    const DrawnOffer other = draw_offer(c);
    const Import passing{c.consumer, *other.offer, other.path.route};
    expect_holds(c.consumer, import.tensor(), drawn.spec, drawn.logical);
    c.minor([&] {
      const Description said =
          require(c.consumer.describe(import.tensor()), "description of an imported tensor");
      expect_equal("device", drawn.spec.device, said.device);
    });
  }
  import.finish();
  expect_deleted_once(*drawn.offer);
  if (drawn.path.route == Route::managed) throw NotClaimed{"import from an object or a capsule"};
}

}  // namespace
}  // namespace dlcert::sharing
