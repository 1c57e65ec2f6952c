// SPDX-License-Identifier: Apache-2.0
//
// Rank: scalars at 0, and what lies beyond a consumer's maximum.

#include <array>

#include "abi/families.hpp"
#include "abi/support.hpp"

namespace dlcert::abi {
namespace {

TensorSpec draw_scalar(Case& c) {
  TensorSpec spec = compact_spec(draw_claimed(c).dtype, {});
  require_claimed(c.subject(), spec);
  return spec;
}

void scalars_are_exported_as_rank_0(Case& c) {
  const ExportedSource exported = export_spec(c, draw_scalar(c));
  expect_equal("rank", 0, exported.managed().tensor().ndim);
  expect_equal("the one element", exported.logical, gather_exported(exported.managed()));
}

Descriptor scalar_without_arrays(const TensorSpec& spec, Form form) {
  Descriptor descriptor = describe_spec(spec, form);
  descriptor.shape.reset();
  descriptor.strides.reset();
  return descriptor;
}

void rank_0_is_imported_as_one_element(Case& c) {
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
void null_arrays_make_no_difference(Case& c) {
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
  const bool accepted = with.accepted();
  with.expect_one_deletion();
  ImportedOffer without{c, path.route, lacking, scatter(spec, logical)};
  expect_equal("acceptance of rank 0 with null arrays", accepted, without.accepted());
  if (accepted) without.expect_holds(spec, logical);
  without.expect_one_deletion();
}

void exported_rank_is_not_negative(Case& c) {
  const ExportedSource exported = export_drawn(c);
  const std::int32_t rank = exported.managed().tensor().ndim;
  expect(rank >= 0, "rank: expected 0 or more but found {}", rank);
}

void large_ranks_are_refused_or_kept(Case& c) {
  constexpr std::array<std::size_t, 5> ranks{65, 1000, 33, 129, 257};
  const TensorSpec spec = compact_spec(float32, std::vector<std::int64_t>(c.draw.one_of(ranks), 1));
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, bytes_of<float>({1.5f}), path.form)};
  c.observe(imported.accepted() ? "accepted" : "refused");
  if (imported.accepted()) expect_equal("shape", spec.shape, imported.description().shape);
  imported.expect_one_deletion();
}

}  // namespace

void register_rank_checks(Suite& suite) {
  add_export_check(suite, "abi.ndim.zero-is-scalar", "a single element is exported as rank 0",
                   scalars_are_exported_as_rank_0);
  add_import_check(suite, "abi.ndim.zero-is-scalar", "rank 0 is imported as a single element",
                   rank_0_is_imported_as_one_element);
  add_import_check(suite, "abi.ndim.rank0-null-accepted",
                   "null arrays at rank 0 make no difference to the consumer",
                   null_arrays_make_no_difference);
  add_export_check(suite, "abi.ndim.nonnegative", "the rank of an export is not negative",
                   exported_rank_is_not_negative);
  add_import_check(suite, "abi.ndim.too-large-rejected",
                   "the consumer refuses a rank above its maximum or keeps all of it",
                   large_ranks_are_refused_or_kept);
}

}  // namespace dlcert::abi
