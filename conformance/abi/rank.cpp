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

Descriptor scalar_without_arrays(const TensorSpec& spec, Form form) {
  Descriptor descriptor = describe_spec(spec, form);
  descriptor.shape.reset();
  descriptor.strides.reset();
  return descriptor;
}

DLCERT_CHECK(rank_0_is_imported_as_one_element,
             consumer_check("abi.ndim.zero-is-scalar", "rank 0 is imported as a single element",
                            importing)) {
  const TensorSpec spec = draw_scalar(c);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, scalar_without_arrays(spec, path.form),
                         scatter(spec, logical)};
  imported.expect_accepted();
  imported.expect_holds(spec, logical);
  imported.expect_one_deletion();
}

// The arrays of the descriptor are NULL or point to inaccessible memory: there is nothing to read
// at rank 0.
DLCERT_CHECK(null_arrays_make_no_difference,
             consumer_check("abi.ndim.rank0-null-accepted",
                            "null arrays at rank 0 make no difference to the consumer",
                            importing)) {
  const TensorSpec spec = draw_scalar(c);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  const Descriptor given = describe_spec(spec, path.form);
  Descriptor lacking = scalar_without_arrays(spec, path.form);
  switch (c.draw.below(3)) {
    case 0:
      break;
    case 1:
      lacking.shape = given.shape;
      break;
    default:
      lacking.strides = given.strides;
      break;
  }
  ImportedOffer with{c, path.route, given, scatter(spec, logical)};
  with.expect_accepted();
  with.expect_one_deletion();
  ImportedOffer without{c, path.route, lacking, scatter(spec, logical)};
  expect_equal("acceptance of rank 0 with null arrays", true, without.accepted());
  without.expect_holds(spec, logical);
  without.expect_one_deletion();
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
  const TensorSpec spec = compact_spec(float32, std::vector<std::int64_t>(c.draw.one_of(ranks), 1));
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, bytes_of<float>({1.5f}), path.form)};
  c.observe(imported.accepted() ? "accepted" : "refused");
  touched_by_outcome(c, imported);
  if (imported.accepted()) expect_equal("shape", spec.shape, imported.description().shape);
  imported.expect_one_deletion();
}

}  // namespace
}  // namespace dlcert::abi
