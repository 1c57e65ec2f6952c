// SPDX-License-Identifier: Apache-2.0
//
// Type codes and widths: exports use assigned codes, and consumers refuse or hand on the types that
// they do not have.

#include <array>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(dtype_codes)

namespace {

DLCERT_CHECK(exported_code_is_assigned,
             producer_check("abi.dtype.code-in-enum", "the type code of an export is assigned",
                            exporting)) {
  const ExportedSource exported = export_drawn(c);
  const std::uint8_t code = exported_dtype(exported.managed()).code;
  if (code == bfloat_complex && c.settings.policy("post-release-codes") == "record") {
    c.observe("a code that is not released");
    return;
  }
  expect_field(exported.managed(), code <= kDLFloat4_e2m1fn, "exported.dl_tensor.dtype.code <= 17",
               "type code: expected at most 17 but found {}", code);
}

DLCERT_CHECK(ordinary_data_is_no_opaque_handle,
             producer_check("abi.dtype.opaque-handle", "ordinary data is not exported as code 3",
                            exporting)) {
  const ExportedSource exported = export_drawn(c);
  if (exported.spec.dtype.code == kDLOpaqueHandle) throw NotClaimed{"types but opaque handles"};
  expect_field(exported.managed(), exported_dtype(exported.managed()).code != kDLOpaqueHandle,
               "exported.dl_tensor.dtype.code != 3", "dtype of {}: found code 3, the opaque handle",
               to_text(exported.spec.dtype));
}

DLCERT_CHECK(opaque_handle_is_refused_or_handed_on,
             if_touched(consumer_check("abi.dtype.opaque-handle",
                                       "the consumer refuses an opaque handle or hands it on",
                                       importing))) {
  const TensorSpec spec = compact_spec({kDLOpaqueHandle, 64, 1}, {2});
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, describe_spec(spec, path.form), Bytes(16)};
  expect_refused_or_unchanged(c, imported);
}

// Every pair of a code and a width, in both forms. Booleans are left to abi.dtype.bool-8bit, which
// lets a consumer convert.
constexpr std::array<std::uint8_t, 17> paired_codes{0,  1,  2,  3,  4,  5,  7,  8, 9,
                                                    10, 11, 12, 13, 14, 15, 16, 17};
constexpr std::array<std::uint8_t, 14> paired_widths{0,  1,  4,  6,  8,  12,  16,
                                                     24, 32, 48, 64, 80, 128, 255};
constexpr std::size_t pairs = paired_codes.size() * paired_widths.size();

// Whether it is open how such elements lie: dlpack.h packs what is narrower than a byte, rounds
// sizes up to bytes, and does not say which of both holds for 12 bits.
bool lies_somehow(dlcert_dtype dtype) {
  return dtype.bits > 8 && dtype.bits % 8 != 0;
}

// 1, 2 and 3 in a type of numbers that computers calculate with; empty for others.
Bytes one_two_three(dlcert_dtype dtype) {
  if (dtype.lanes != 1) return {};
  if (dtype.code == kDLFloat && dtype.bits == 16)
    return bytes_of<std::uint16_t>({0x3c00, 0x4000, 0x4200});
  if (dtype.code == kDLFloat && dtype.bits == 32) return bytes_of<float>({1, 2, 3});
  if (dtype.code == kDLFloat && dtype.bits == 64) return bytes_of<double>({1, 2, 3});
  if (dtype.code == kDLComplex && dtype.bits == 64) return bytes_of<float>({1, 0, 2, 0, 3, 0});
  if (dtype.code == kDLComplex && dtype.bits == 128) return bytes_of<double>({1, 0, 2, 0, 3, 0});
  if (dtype.code != kDLInt && dtype.code != kDLUInt) return {};
  if (dtype.bits == 8) return bytes_of<std::uint8_t>({1, 2, 3});
  if (dtype.bits == 16) return bytes_of<std::uint16_t>({1, 2, 3});
  if (dtype.bits == 32) return bytes_of<std::uint32_t>({1, 2, 3});
  if (dtype.bits == 64) return bytes_of<std::uint64_t>({1, 2, 3});
  return {};
}

// Whether the consumer read 1, 2 and 3 by their type, and keeps them in another width.
bool is_converted(ImportedOffer& imported) {
  if (!imported.accepted()) return false;
  auto said = imported.try_description();
  if (!said.ok()) return false;
  const dlcert_dtype offered = imported.offer().descriptor().dtype;
  const dlcert_dtype found = said.value().dtype;
  if (found == offered || found.code != offered.code) return false;
  const Bytes values = one_two_three(found);
  return !values.empty() && imported.read() == values;
}

void expect_understood_or_refused(Case& c, ImportPath path, const TensorSpec& spec) {
  Bytes storage = one_two_three(spec.dtype);
  const bool of_numbers = !storage.empty();
  storage.resize(3 * std::size_t{32});
  ImportedOffer imported{c, path.route, describe_spec(spec, path.form), storage};
  if (!of_numbers || !is_converted(imported)) return expect_refused_or_unchanged(c, imported);
  c.observe("converted");
  c.touched();
  imported.expect_one_deletion();
}

DLCERT_CHECK(pair_is_refused_understood_or_handed_on,
             if_touched(consumer_check(
                 "abi.dtype.code-bits-consistency",
                 "the consumer reads a pair of code and width by the type that it names, or not",
                 importing, pairs* both_forms.size()))) {
  const std::uint8_t code = paired_codes[c.row % paired_codes.size()];
  const std::uint8_t bits = paired_widths[c.row / paired_codes.size() % paired_widths.size()];
  const ImportPath path = draw_import_path(c.draw, c.consumer, both_forms[c.row / pairs]);
  const TensorSpec spec = compact_spec({code, bits, 1}, {3});
  if (!c.consumer.can(spec)) return expect_understood_or_refused(c, path, spec);
  const Bytes logical = draw_logical(c.draw, spec);
  ImportedOffer imported{c, path.route, make_offer(spec, logical, path.form)};
  imported.expect_accepted();
  if (lies_somehow(spec.dtype))
    expect_equal("dtype", spec.dtype, imported.description().dtype);
  else
    imported.expect_holds(spec, logical);
  c.touched();
  imported.expect_one_deletion();
}

}  // namespace
}  // namespace dlcert::abi
