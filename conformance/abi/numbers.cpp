// SPDX-License-Identifier: Apache-2.0
//
// Integers, IEEE and brain floats: their codes and widths, every bit of their values, and the byte
// order.

#include <array>
#include <limits>
#include <optional>
#include <span>

#include "abi/families.hpp"
#include "abi/support.hpp"

namespace dlcert::abi {
namespace {

// One to six elements, each from `interesting` or random.
template <typename T, std::size_t n>
Bytes draw_elements(Draw& draw, const std::array<T, n>& interesting) {
  std::vector<T> values(static_cast<std::size_t>(draw.between(1, 6)));
  for (T& value : values) {
    if (draw.rarely(2))
      draw.bytes(std::as_writable_bytes(std::span{&value, 1}));
    else
      value = draw.one_of(interesting);
  }
  return bytes_of(values);
}

// ---- integers -----------------------------------------------------------------------------------

template <typename T>
void expect_integers_cross(Case& c, std::uint8_t code) {
  constexpr std::array<T, 6> extremes{
      T{1}, T{0}, static_cast<T>(-1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
      T{2}};
  expect_crosses(c, {code, sizeof(T) * 8, 1}, draw_elements(c.draw, extremes));
}

void signed_integers_cross(Case& c) {
  constexpr std::array<Body, 4> widths{
      [](Case& k) { expect_integers_cross<std::int32_t>(k, kDLInt); },
      [](Case& k) { expect_integers_cross<std::int8_t>(k, kDLInt); },
      [](Case& k) { expect_integers_cross<std::int16_t>(k, kDLInt); },
      [](Case& k) { expect_integers_cross<std::int64_t>(k, kDLInt); }};
  c.draw.one_of(widths)(c);
}

void unsigned_integers_cross(Case& c) {
  constexpr std::array<Body, 4> widths{
      [](Case& k) { expect_integers_cross<std::uint8_t>(k, kDLUInt); },
      [](Case& k) { expect_integers_cross<std::uint16_t>(k, kDLUInt); },
      [](Case& k) { expect_integers_cross<std::uint32_t>(k, kDLUInt); },
      [](Case& k) { expect_integers_cross<std::uint64_t>(k, kDLUInt); }};
  c.draw.one_of(widths)(c);
}

// ---- floats -------------------------------------------------------------------------------------

// One, negative zero, the smallest subnormal, infinity, a quiet NaN with a payload, and its
// negative. No random bits: they could be a signalling NaN, which a load may quieten.
constexpr std::array<std::uint16_t, 6> float16{0x3C00, 0x8000, 0x0001, 0x7C00, 0x7E2A, 0xFE2A};
constexpr std::array<std::uint32_t, 6> float32_bits{0x3F800000, 0x80000000, 0x00000001,
                                                    0x7F800000, 0x7FC12345, 0xFFC12345};
constexpr std::array<std::uint64_t, 6> float64{0x3FF0000000000000, 0x8000000000000000,
                                               0x0000000000000001, 0x7FF0000000000000,
                                               0x7FF8123456789ABC, 0xFFF8123456789ABC};
constexpr std::array<std::uint16_t, 6> bfloat16{0x3F80, 0x7FC0, 0x8000, 0x0001, 0x7F80, 0xFFC1};

template <typename T, std::size_t n>
void expect_patterns_cross(Case& c, std::uint8_t code, const std::array<T, n>& patterns) {
  std::vector<T> values(static_cast<std::size_t>(c.draw.between(1, 6)));
  for (T& value : values)
    value = c.draw.one_of(patterns);
  expect_crosses(c, {code, sizeof(T) * 8, 1}, bytes_of(values));
}

void ieee_floats_cross(Case& c) {
  constexpr std::array<Body, 3> widths{
      [](Case& k) { expect_patterns_cross(k, kDLFloat, float32_bits); },
      [](Case& k) { expect_patterns_cross(k, kDLFloat, float16); },
      [](Case& k) { expect_patterns_cross(k, kDLFloat, float64); }};
  c.draw.one_of(widths)(c);
}

void brain_floats_cross(Case& c) {
  expect_patterns_cross(c, kDLBfloat, bfloat16);
}

// ---- data that has no code of its own -----------------------------------------------------------

void brain_float_pairs_are_no_half_pairs(Case& c) {
  const TensorSpec spec = compact_spec({kDLComplex, 32, 1}, {2});
  const auto exported = try_export_state(c, spec, DLCERT_STATE_BFLOAT_COMPLEX,
                                         bytes_of<std::uint16_t>({0x3F80, 0xC000, 0x4040, 0x0000}));
  if (!exported) return;
  const DLDataType& dtype = exported->managed().tensor().dtype;
  expect(dtype.code != kDLComplex && dtype.code != kDLFloat,
         "dtype of a pair of brain floats: expected a refusal or another code but found {}/{}",
         dtype.code, dtype.bits);
}

void extended_floats_are_not_code_2(Case& c) {
  const TensorSpec spec = compact_spec({kDLFloat, 128, 1}, {2});
  const auto exported = try_export_state(c, spec, DLCERT_STATE_EXTENDED_FLOAT, Bytes(32));
  if (!exported) return;
  c.observe("exported");
  const DLDataType& dtype = exported->managed().tensor().dtype;
  expect(dtype.code != kDLFloat || c.settings.policy("extended-float") == "record",
         "export of 80-bit floats: expected a refusal but found code 2 with {} bits", dtype.bits);
}

// ---- byte order ---------------------------------------------------------------------------------

void exports_are_in_native_order(Case& c) {
  const Bytes native = bytes_of<std::int32_t>({0x01020304, -2});
  const ExportedSource exported = export_made(c, vector_spec({kDLInt, 32, 1}, native), native);
  std::int32_t value = 0;
  std::memcpy(&value, exported.managed().first_element(), sizeof value);
  expect_equal("first element", 0x01020304, value);
}

constexpr std::array<dlcert_dtype, 6> integers_of_several_bytes{{{kDLInt, 16, 1},
                                                                 {kDLInt, 32, 1},
                                                                 {kDLInt, 64, 1},
                                                                 {kDLUInt, 16, 1},
                                                                 {kDLUInt, 32, 1},
                                                                 {kDLUInt, 64, 1}}};

void swapped_data_is_not_exported_as_it_lies(Case& c) {
  const Bytes native = bytes_of<std::int32_t>({0x01020304, 0x0A0B0C0D});
  const TensorSpec spec = vector_spec(c.draw.one_of(integers_of_several_bytes), native);
  const auto exported = try_export_state(c, spec, DLCERT_STATE_BYTE_SWAPPED, native);
  if (exported) expect_equal("elements", native, gather_exported(exported->managed()));
}

void imports_are_read_in_native_order(Case& c) {
  const Bytes native = bytes_of<std::int32_t>({0x01020304, -2});
  expect_imports(c, vector_spec({kDLInt, 32, 1}, native), native);
}

}  // namespace

void register_number_checks(Suite& suite) {
  add_crossing(suite, "abi.dtype.int", "signed integers are exported as code 0 and their width",
               "code 0 is imported as signed integers of that width", signed_integers_cross);
  add_crossing(suite, "abi.dtype.uint", "unsigned integers are exported as code 1 and their width",
               "code 1 is imported as unsigned integers of that width", unsigned_integers_cross);
  add_crossing(suite, "abi.dtype.float", "IEEE floats are exported as code 2, bit for bit",
               "code 2 is imported as IEEE floats, bit for bit", ieee_floats_cross);
  add_crossing(suite, "abi.dtype.bfloat16", "brain floats are exported as code 4 with 16 bits",
               "code 4 with 16 bits is imported as brain floats", brain_floats_cross);
  add_export_check(suite, "abi.dtype.bfloat16", "pairs of brain floats are not exported as code 5",
                   brain_float_pairs_are_no_half_pairs);
  add_export_check(suite, "abi.dtype.extended-float", "80-bit floats are not exported as code 2",
                   extended_floats_are_not_code_2);
  add_export_check(suite, "abi.dtype.native-endian", "elements are exported in native byte order",
                   exports_are_in_native_order);
  add_export_check(suite, "abi.dtype.native-endian",
                   "byte-swapped data is refused or exported in native byte order",
                   swapped_data_is_not_exported_as_it_lies);
  add_import_check(suite, "abi.dtype.native-endian", "elements are read in native byte order",
                   imports_are_read_in_native_order);
}

}  // namespace dlcert::abi
