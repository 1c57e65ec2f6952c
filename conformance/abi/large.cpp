// SPDX-License-Identifier: Apache-2.0
//
// Tensors of more than 64 KiB and 65536 elements, of no round number of either.

#include <algorithm>
#include <array>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(large)

namespace {

// One axis, above 1 MiB; two in column-major order; two with gaps between the rows.
constexpr std::size_t layouts = 3;

TensorSpec large_spec(Case& c) {
  const TensorSpec like =
      draw_claimed(c, {.dtypes = Dtypes::whole_byte, .layouts = Layouts::compact});
  const auto item = static_cast<std::int64_t>(logical_item_size(like.dtype));
  TensorSpec spec = compact_spec(like.dtype, {66'000 + (std::int64_t{1} << 20) / item});
  spec.flags = like.flags;
  if (c.row != 0) {
    spec.shape = {301, 257};
    spec.strides =
        c.row == 1 ? std::vector<std::int64_t>{1, 301} : std::vector<std::int64_t>{260, 1};
    spec.storage_size = 301 * 260;
  }
  require_claimed(c.subject(), spec);
  return spec;
}

DLCERT_CHECK(large_exports_hold_all_elements,
             producer_check("abi.data.size-formula",
                            "a tensor above 64 KiB, and its export, hold all of their elements",
                            exporting, layouts)) {
  const ExportedSource exported = export_spec(c, large_spec(c));
  expect_shape(exported.managed(), exported.spec.shape);
  expect_gathered(exported.managed(), exported.logical);
  if (!c.producer.offers(Needs{} | Can::read)) return;
  owned_by("sharing.source-usable-after", [&] {
    expect_equal("elements of the source", exported.logical,
                 require(c.producer.read(exported.tensor, exported.logical.size()), "read"));
  });
}

DLCERT_CHECK(large_imports_hold_all_elements,
             consumer_check("abi.data.size-formula",
                            "an import above 64 KiB holds all of its elements", importing,
                            layouts)) {
  const TensorSpec spec = large_spec(c);
  expect_imports(c, spec, draw_logical(c.draw, spec));
}

}  // namespace
}  // namespace dlcert::abi
