// SPDX-License-Identifier: Apache-2.0
//
// Lanes: short vectors as elements.

#include <array>
#include <numeric>

#include "abi/families.hpp"
#include "abi/support.hpp"

namespace dlcert::abi {
namespace {

// Two sub-byte values in a byte are a pair, and may have two lanes.
void scalars_have_one_lane(Case& c) {
  const ExportedSource exported = export_drawn(c);
  if (exported.spec.dtype.lanes != 1 || sub_byte(exported.spec.dtype))
    throw NotClaimed{"scalars of whole bytes"};
  expect_equal("lanes", std::uint16_t{1}, exported_dtype(exported.managed()).lanes);
}

constexpr std::array<dlcert_dtype, 4> vector_dtypes{
    {{kDLFloat, 32, 4}, {kDLFloat, 32, 2}, {kDLComplex, 64, 2}, {kDLInt, 8, 16}}};

// Three vectors of counting bytes.
Bytes three_vectors(dlcert_dtype dtype) {
  std::vector<std::uint8_t> bytes(3 * logical_item_size(dtype));
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  return bytes_of(bytes);
}

void vectors_cross(Case& c) {
  const dlcert_dtype dtype = c.draw.one_of(vector_dtypes);
  expect_crosses(c, dtype, three_vectors(dtype));
}

// Without vector types: refused, handed on with its lanes, or spread over scalars of which none is
// lost.
void lanes_are_not_ignored(Case& c) {
  const dlcert_dtype dtype = c.draw.one_of(vector_dtypes);
  const Bytes logical = three_vectors(dtype);
  const TensorSpec spec = vector_spec(dtype, logical);
  if (c.consumer.can(spec)) return expect_imports(c, spec, logical);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, logical, path.form)};
  if (!imported.accepted() || imported.description().dtype == dtype)
    return expect_refused_or_unchanged(c, imported);
  c.observe("spread over scalars");
  expect_equal("dtype of the scalars", dlcert_dtype{dtype.code, dtype.bits, 1},
               imported.description().dtype);
  expect_equal("elements", logical, imported.read());
  imported.expect_one_deletion();
}

void zero_lanes_are_recorded(Case& c) {
  const TensorSpec spec = compact_spec({kDLFloat, 32, 0}, {2});
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, describe_spec(spec, path.form), Bytes(8)};
  judge_by_policy(c, imported, "lanes-zero");
  imported.expect_one_deletion();
}

}  // namespace

void register_lane_checks(Suite& suite) {
  add_export_check(suite, "abi.dtype.lanes-scalar", "scalar elements are exported with one lane",
                   scalars_have_one_lane);
  add_crossing(suite, "abi.dtype.lanes-vector",
               "vectors are exported with their lanes, and shape counts vectors",
               "vectors are imported with their lanes, and shape counts vectors", vectors_cross);
  add_import_check(suite, "abi.dtype.lanes-unsupported-reject",
                   "a consumer without vector elements does not ignore lanes",
                   lanes_are_not_ignored);
  add_import_check(suite, "abi.dtype.lanes-zero", "what the consumer makes of 0 lanes is recorded",
                   zero_lanes_are_recorded);
}

}  // namespace dlcert::abi
