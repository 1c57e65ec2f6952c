// SPDX-License-Identifier: Apache-2.0
//
// The shape array of an export.

#include "abi/families.hpp"
#include "abi/support.hpp"
#include "testbench/freed_memory.hpp"

namespace dlcert::abi {
namespace {

using testbench::HeapPoison;

std::vector<std::int64_t> exported_shape(const Managed& managed) {
  const DLTensor& tensor = managed.tensor();
  return {tensor.shape, tensor.shape + tensor.ndim};
}

void shape_outlives_its_source(Case& c) {
  ExportedSource exported = export_drawn(c, ranked);
  expect_equal("shape", exported.spec.shape, exported_shape(exported.managed()));
  exported.tensor.release();
  const HeapPoison poison;
  expect_equal("shape after its source was released", exported.spec.shape,
               exported_shape(exported.managed()));
}

void extents_are_not_negative(Case& c) {
  const ExportedSource exported = export_drawn(c);
  const auto shape = exported_shape(exported.managed());
  for (const std::int64_t extent : shape)
    expect(extent >= 0, "extent: expected 0 or more but found {}", extent);
}

void scalar_shape_pointers_are_recorded(Case& c) {
  const TensorSpec spec = compact_spec(draw_claimed(c).dtype, {});
  const ExportedSource exported = export_spec(c, spec);
  c.observe(exported.managed().tensor().shape == nullptr ? "null shape" : "some shape pointer");
}

void ranked_exports_have_a_shape(Case& c) {
  const ExportedSource exported = export_drawn(c, ranked);
  expect(exported.managed().tensor().shape != nullptr, "shape of a tensor of rank {}: found NULL",
         exported.spec.shape.size());
}

}  // namespace

void register_shape_checks(Suite& suite) {
  add_export_check(suite, "abi.shape.extent-array",
                   "shape holds the extents for the life of the export", shape_outlives_its_source);
  add_export_check(suite, "abi.shape.nonnegative", "no extent of an export is negative",
                   extents_are_not_negative);
  add_export_check(suite, "abi.shape.null-when-rank0",
                   "the shape pointer of an exported scalar is recorded",
                   scalar_shape_pointers_are_recorded);
  add_export_check(suite, "abi.shape.nonnull-when-ranked", "shape is not null at a rank above 0",
                   ranked_exports_have_a_shape);
}

}  // namespace dlcert::abi
