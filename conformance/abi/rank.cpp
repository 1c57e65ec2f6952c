// SPDX-License-Identifier: Apache-2.0
//
// Rank: scalars at 0, and what lies beyond a consumer's maximum.

#include <array>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(rank)

namespace {

TensorSpec draw_scalar(Case& c) {
  TensorSpec spec = compact_spec(draw_claimed(c).dtype, {});
  require_claimed(c.subject(), spec);
  return spec;
}

DLCERT_CHECK(scalars_are_exported_as_rank_0,
             producer_check("abi.ndim.zero-is-scalar", "a single element is exported as rank 0",
                            exporting)) {
  const ExportedSource exported = export_spec(c, draw_scalar(c));
  const Managed& managed = exported.managed();
  expect_field_equal(managed, "rank", "exported.dl_tensor.ndim", 0, managed.tensor().ndim);
  expect_gathered(managed, exported.logical, "the one element");
}

DLCERT_CHECK(rank_0_is_imported_as_one_element,
             consumer_check("abi.ndim.zero-is-scalar", "rank 0 is imported as a single element",
                            importing)) {
  const TensorSpec spec = draw_scalar(c);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, describe_spec(spec, path.form), scatter(spec, logical)};
  imported.expect_accepted();
  imported.expect_holds(spec, logical);
  imported.expect_one_deletion();
}

Descriptor without_arrays(const TensorSpec& spec, Form form, bool shape, bool strides) {
  Descriptor lacking = describe_spec(spec, form);
  if (shape) lacking.shape.reset();
  if (strides) lacking.strides.reset();
  return lacking;
}

// An offered scalar whose shape or strides are NULL.
struct Arrayless {
  TensorSpec spec;
  Bytes logical;
  ImportedOffer imported;

  Arrayless(Case& c, ImportPath path, bool shape, bool strides)
      : spec{draw_scalar(c)},
        logical{draw_logical(c.draw, spec)},
        imported{c, path.route, without_arrays(spec, path.form, shape, strides),
                 scatter(spec, logical)} {}

  void expect_taken() {
    imported.expect_accepted();
    imported.expect_holds(spec, logical);
    imported.expect_one_deletion();
  }
};

// The arrays of the descriptor are NULL or point to inaccessible memory: there is nothing to read
// at rank 0. Legacy tensors are from before 1.2, which allows a null shape.
DLCERT_CHECK(null_arrays_make_no_difference,
             if_touched(consumer_check(
                 "abi.ndim.rank0-null-accepted",
                 "the consumer reads no null array at rank 0; it may refuse the tensor",
                 importing))) {
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  const bool shape = path.form == Form::versioned && c.draw.flip();
  const bool strides = !shape || c.draw.flip();
  Arrayless offered{c, path, shape, strides};
  expect_right_if_accepted(c, offered.imported, offered.spec, offered.logical);
}

DLCERT_CHECK(scalar_without_shape_is_taken,
             consumer_check("abi.shape.null-when-rank0",
                            "the consumer takes a scalar with a null shape", importing)) {
  const ImportPath path = draw_import_path(c.draw, c.consumer, Form::versioned);
  Arrayless{c, path, true, false}.expect_taken();
}

DLCERT_CHECK(scalar_without_strides_is_taken,
             consumer_check("abi.strides.null-when-rank0",
                            "the consumer takes a scalar with null strides", importing)) {
  Arrayless{c, draw_import_path(c.draw, c.consumer), false, true}.expect_taken();
}

DLCERT_CHECK(exported_rank_is_not_negative,
             producer_check("abi.ndim.nonnegative", "the rank of an export is not negative",
                            exporting)) {
  const ExportedSource exported = export_drawn(c);
  const std::int32_t rank = exported.managed().tensor().ndim;
  expect_field(exported.managed(), rank >= 0, "exported.dl_tensor.ndim >= 0",
               "rank: expected 0 or more but found {}", rank);
}

DLCERT_CHECK(large_ranks_are_refused_or_kept,
             if_touched(consumer_check(
                 "abi.ndim.too-large-rejected",
                 "the consumer refuses a rank above its maximum or keeps all of it", importing))) {
  constexpr std::array<std::size_t, 5> ranks{65, 1000, 33, 129, 257};
  TensorSpec spec = compact_spec(float32, std::vector<std::int64_t>(c.draw.one_of(ranks), 1));
  if (const auto plain = plain_spec(c.consumer)) spec.dtype = plain->dtype;
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, draw_logical(c.draw, spec), path.form)};
  c.observe(imported.accepted() ? "accepted" : "refused");
  touched_by_outcome(c, imported);
  if (imported.accepted()) expect_equal("shape", spec.shape, imported.description().shape);
  imported.expect_one_deletion();
}

// ---- up to 64 axes, with values -----------------------------------------------------------------

// On both sides of where tables of axes end.
constexpr std::array<std::size_t, 9> many_axes{9, 12, 16, 17, 25, 32, 33, 63, 64};

// An axis of three elements at either end, and two of two elements between; the memory of the last
// axis is not the innermost.
TensorSpec spec_of_rank(Case& c, std::size_t rank) {
  const TensorSpec like =
      draw_claimed(c, {.dtypes = Dtypes::whole_byte, .layouts = Layouts::compact});
  TensorSpec spec = compact_spec(like.dtype, std::vector<std::int64_t>(rank, 1));
  spec.flags = like.flags;
  const std::size_t first = 1 + c.draw.below(rank - 3);
  const std::size_t second = first + 1 + c.draw.below(rank - 2 - first);
  spec.shape.front() = spec.shape.back() = 3;
  spec.shape[first] = spec.shape[second] = 2;
  spec.strides.assign(rank, 1);
  spec.strides.back() = 12;
  spec.strides.front() = 4;
  spec.strides[first] = 2;
  spec.storage_size = 36;
  if (!c.subject().can(spec)) {
    spec.strides = row_major_strides(spec.shape);
    if (c.role() == Role::producer) require_claimed(c.subject(), spec);
  }
  return spec;
}

DLCERT_CHECK(many_axes_are_exported,
             producer_check("abi.strides.length",
                            "an export of up to 64 axes has a stride for each, which leads to its "
                            "elements",
                            exporting, many_axes.size())) {
  const ExportedSource exported = export_spec(c, spec_of_rank(c, many_axes[c.row]));
  expect_shape(exported.managed(), exported.spec.shape);
  expect_gathered(exported.managed(), exported.logical);
}

DLCERT_CHECK(many_axes_are_imported,
             if_touched(consumer_check("abi.ndim.too-large-rejected",
                                       "a tensor of up to 64 axes is refused or read to its last "
                                       "axis",
                                       importing, many_axes.size()))) {
  const TensorSpec spec = spec_of_rank(c, many_axes[c.row]);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, logical, path.form)};
  touched_by_outcome(c, imported);
  if (imported.accepted()) imported.expect_holds(spec, logical);
  imported.expect_one_deletion();
}

}  // namespace
}  // namespace dlcert::abi
