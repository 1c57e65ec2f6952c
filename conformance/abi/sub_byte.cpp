// SPDX-License-Identifier: Apache-2.0
//
// Elements narrower than a byte: packed by default, from the least significant bit up.

#include <array>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(sub_byte)

namespace {

constexpr std::array<dlcert_dtype, 8> sub_byte_dtypes{{{kDLFloat4_e2m1fn, 4, 1},
                                                       {kDLFloat6_e2m3fn, 6, 1},
                                                       {kDLFloat6_e3m2fn, 6, 1},
                                                       {kDLInt, 4, 1},
                                                       {kDLUInt, 4, 1},
                                                       {kDLUInt, 2, 1},
                                                       {kDLUInt, 1, 1},
                                                       {kDLBool, 1, 1}}};

// The standard's formula: element i lies in bits [i * bits, (i + 1) * bits) of a little-endian
// stream.
Bytes packed(const Bytes& logical, unsigned bits) {
  Bytes stream((logical.size() * bits + 7) / 8);
  for (std::size_t i = 0; i < logical.size() * bits; ++i) {
    const unsigned bit = (std::to_integer<unsigned>(logical[i / bits]) >> (i % bits)) & 1u;
    stream[i / 8] |= static_cast<std::byte>(bit << (i % 8));
  }
  return stream;
}

Bytes unpacked(const std::byte* stream, std::size_t count, unsigned bits) {
  Bytes logical(count);
  for (std::size_t i = 0; i < count * bits; ++i) {
    const unsigned bit = (std::to_integer<unsigned>(stream[i / 8]) >> (i % 8)) & 1u;
    logical[i / bits] |= static_cast<std::byte>(bit << (i % bits));
  }
  return logical;
}

// Elements of a claimed sub-byte type, 1-d and compact, of any number from two on, so that the last
// byte may be half used.
TensorSpec draw_packed_spec(Case& c) {
  const dlcert_dtype dtype = c.draw.one_of(sub_byte_dtypes);
  TensorSpec spec = compact_spec(dtype, {c.draw.between(2, 11)});
  require_claimed(c.subject(), spec);
  return spec;
}

bool flagged_as_padded(const Managed& managed) {
  return (managed.flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
}

DLCERT_CHECK(exports_are_packed_unless_flagged,
             producer_check("abi.dtype.subbyte-packed-default",
                            "sub-byte elements are exported packed unless the padding flag is set",
                            exporting)) {
  const ExportedSource exported = export_spec(c, draw_packed_spec(c));
  c.observe(flagged_as_padded(exported.managed()) ? "padded" : "packed");
  expect_gathered(exported.managed(), exported.logical);
}

DLCERT_CHECK(exports_start_at_the_lowest_bit,
             producer_check("abi.dtype.subbyte-bit-order",
                            "packed elements are exported from the least significant bit up",
                            exporting)) {
  const ExportedSource exported = export_spec(c, draw_packed_spec(c));
  if (flagged_as_padded(exported.managed())) throw NotClaimed{"packed exports"};
  in_elements(exported.managed(), exported.logical, [&] {
    expect_equal("elements", exported.logical,
                 unpacked(exported.managed().first_element(), exported.logical.size(),
                          exported.spec.dtype.bits));
  });
}

DLCERT_CHECK(imports_are_packed_without_the_flag,
             consumer_check("abi.dtype.subbyte-packed-default",
                            "sub-byte elements are read as packed when the padding flag is clear",
                            importing)) {
  const TensorSpec spec = draw_packed_spec(c);
  expect_imports(c, spec, draw_logical(c.draw, spec));
}

DLCERT_CHECK(imports_start_at_the_lowest_bit,
             consumer_check("abi.dtype.subbyte-bit-order",
                            "packed elements are read from the least significant bit up",
                            importing)) {
  const TensorSpec spec = draw_packed_spec(c);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, describe_spec(spec, path.form),
                         packed(logical, spec.dtype.bits)};
  imported.expect_accepted();
  imported.expect_holds(spec, logical);
  imported.expect_one_deletion();
}

// ---- units of shape and strides -----------------------------------------------------------------

constexpr dlcert_dtype fp4{kDLFloat4_e2m1fn, 4, 1};

DLCERT_CHECK(exported_shape_counts_elements,
             producer_check("abi.dtype.subbyte-strides-unit",
                            "shape and strides of packed exports count elements", exporting)) {
  const TensorSpec spec = compact_spec(fp4, {c.draw.between(2, 5), 2 * c.draw.between(1, 4)});
  const ExportedSource exported = export_spec(c, spec);
  const TensorSpec found = described_spec(exported.managed());
  const std::int64_t values = found.element_count() * found.dtype.lanes;
  if (c.settings.policy("subbyte-units") == "record") {
    c.observe(values == spec.element_count() ? "counts elements" : "counts something else");
    return;
  }
  expect_field_equal(exported.managed(), "extents times lanes",
                     "element_count(&exported.dl_tensor) * exported.dl_tensor.dtype.lanes",
                     spec.element_count(), values);
  expect_field_equal(exported.managed(), "stride of the last axis",
                     "stride_of(&exported.dl_tensor, exported.dl_tensor.ndim - 1)", std::int64_t{1},
                     found.strides.back());
}

// Rows of three values that lie eight values apart.
DLCERT_CHECK(imported_strides_count_small_elements,
             if_touched(consumer_check("abi.dtype.subbyte-strides-unit",
                                       "shape and strides of packed imports count elements",
                                       importing))) {
  TensorSpec spec = compact_spec(fp4, {2, 3});
  spec.strides = {8, 1};
  spec.storage_size = 16;
  require_claimed(c.consumer, spec);
  const Bytes logical = bytes_of<std::uint8_t>({1, 2, 3, 4, 5, 6});
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, logical, path.form)};
  if (!imported.accepted()) {
    c.declined("refused");
  } else {
    c.observe("accepted");
    if (c.settings.policy("subbyte-units") != "record") imported.expect_holds(spec, logical);
    c.touched();
  }
  imported.expect_one_deletion();
}

}  // namespace
}  // namespace dlcert::abi
