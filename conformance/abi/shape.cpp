// SPDX-License-Identifier: Apache-2.0
//
// The shape array of an export.

#include "abi/support.hpp"
#include "registration.hpp"
#include "testbench/freed_memory.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(shape)

namespace {

using testbench::HeapPoison;

DLCERT_CHECK(shape_outlives_its_source,
             producer_check("abi.shape.extent-array",
                            "shape holds the extents for the life of the export", exporting)) {
  ExportedSource exported = export_drawn(c, ranked);
  expect_shape(exported.managed(), exported.spec.shape);
  exported.tensor.release();
  const HeapPoison poison;
  expect_shape(exported.managed(), exported.spec.shape, "shape after its source was released");
}

DLCERT_CHECK(extents_are_not_negative,
             producer_check("abi.shape.nonnegative", "no extent of an export is negative",
                            exporting)) {
  const ExportedSource exported = export_drawn(c, ranked);
  for (const std::int64_t extent : described_spec(exported.managed()).shape)
    expect_field(exported.managed(), extent >= 0, "has_no_negative_extent(&exported.dl_tensor)",
                 "extent: expected 0 or more but found {}", extent);
}

DLCERT_CHECK(scalar_shape_pointers_are_recorded,
             producer_check("abi.shape.null-when-rank0",
                            "the shape pointer of an exported scalar is recorded", exporting)) {
  const TensorSpec spec = compact_spec(draw_claimed(c).dtype, {});
  const ExportedSource exported = export_spec(c, spec);
  c.observe(exported.managed().tensor().shape == nullptr ? "null shape" : "some shape pointer");
}

DLCERT_CHECK(ranked_exports_have_a_shape,
             producer_check("abi.shape.nonnull-when-ranked", "shape is not null at a rank above 0",
                            exporting)) {
  const ExportedSource exported = export_drawn(c, ranked);
  const Managed& managed = exported.managed();
  expect_field(managed, managed.tensor().shape != nullptr, "exported.dl_tensor.shape != NULL",
               "shape of a tensor of rank {}: found NULL", exported.spec.shape.size());
}

}  // namespace
}  // namespace dlcert::abi
