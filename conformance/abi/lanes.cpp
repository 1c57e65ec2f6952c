// SPDX-License-Identifier: Apache-2.0
//
// Lanes: short vectors as elements.

#include <array>
#include <numeric>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(lanes)

namespace {

// Two sub-byte values in a byte are a pair, and may have two lanes.
DLCERT_CHECK(scalars_have_one_lane,
             producer_check("abi.dtype.lanes-scalar", "scalar elements are exported with one lane",
                            exporting)) {
  const ExportedSource exported = export_drawn(c, {.dtypes = Dtypes::whole_byte, .padded = false});
  const Managed& managed = exported.managed();
  expect_field_equal(managed, "lanes", "exported.dl_tensor.dtype.lanes", std::uint16_t{1},
                     exported_dtype(managed).lanes);
}

constexpr std::array<dlcert_dtype, 4> vector_dtypes{
    {{kDLFloat, 32, 4}, {kDLFloat, 32, 2}, {kDLComplex, 64, 2}, {kDLInt, 8, 16}}};

// Three vectors of counting bytes.
Bytes three_vectors(dlcert_dtype dtype) {
  std::vector<std::uint8_t> bytes(3 * logical_item_size(dtype));
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  return bytes_of(bytes);
}

DLCERT_CHECK(vectors_cross,
             producer_check("abi.dtype.lanes-vector",
                            "vectors are exported with their lanes, and shape counts vectors",
                            exporting),
             consumer_check("abi.dtype.lanes-vector",
                            "vectors are imported with their lanes, and shape counts vectors",
                            importing)) {
  const dlcert_dtype dtype = c.draw.one_of(vector_dtypes);
  expect_crosses(c, dtype, three_vectors(dtype));
}

// Without vector types: refused, handed on with its lanes, or spread over scalars of which none is
// lost.
DLCERT_CHECK(lanes_are_not_ignored,
             if_touched(consumer_check("abi.dtype.lanes-unsupported-reject",
                                       "a consumer without vector elements does not ignore lanes",
                                       importing))) {
  const dlcert_dtype dtype = c.draw.one_of(vector_dtypes);
  const Bytes logical = three_vectors(dtype);
  const TensorSpec spec = vector_spec(dtype, logical);
  if (c.consumer.can(spec)) {
    expect_imports(c, spec, logical);
    return c.touched();
  }
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, logical, path.form)};
  if (!imported.accepted() || imported.description().dtype == dtype)
    return expect_refused_or_unchanged(c, imported);
  c.observe("spread over scalars");
  expect_equal("dtype of the scalars", dlcert_dtype{dtype.code, dtype.bits, 1},
               imported.description().dtype);
  expect_equal("elements", logical, imported.read());
  c.touched();
  imported.expect_one_deletion();
}

DLCERT_CHECK(zero_lanes_are_recorded,
             if_touched(consumer_check("abi.dtype.lanes-zero",
                                       "what the consumer makes of 0 lanes is recorded",
                                       importing))) {
  const TensorSpec spec = compact_spec({kDLFloat, 32, 0}, {2});
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, describe_spec(spec, path.form), Bytes(8)};
  judge_by_policy(c, imported, "lanes-zero");
  imported.expect_one_deletion();
}

}  // namespace
}  // namespace dlcert::abi
