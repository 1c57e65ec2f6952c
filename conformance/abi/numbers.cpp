// SPDX-License-Identifier: Apache-2.0
//
// Integers, IEEE and brain floats: their codes and widths, every bit of their values, and the byte
// order.

#include <array>
#include <limits>
#include <optional>
#include <span>

#include "abi/support.hpp"
#include "generators/claimed_shapes.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(numbers)

namespace {

using Body = void (*)(Case&);

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

DLCERT_CHECK(signed_integers_cross,
             producer_check("abi.dtype.int",
                            "signed integers are exported as code 0 and their width", exporting),
             consumer_check("abi.dtype.int", "code 0 is imported as signed integers of that width",
                            importing)) {
  constexpr std::array<Body, 4> widths{
      [](Case& k) { expect_integers_cross<std::int32_t>(k, kDLInt); },
      [](Case& k) { expect_integers_cross<std::int8_t>(k, kDLInt); },
      [](Case& k) { expect_integers_cross<std::int16_t>(k, kDLInt); },
      [](Case& k) { expect_integers_cross<std::int64_t>(k, kDLInt); }};
  c.draw.one_of(widths)(c);
}

DLCERT_CHECK(unsigned_integers_cross,
             producer_check("abi.dtype.uint",
                            "unsigned integers are exported as code 1 and their width", exporting),
             consumer_check("abi.dtype.uint",
                            "code 1 is imported as unsigned integers of that width", importing)) {
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
constexpr std::array<std::uint16_t, 6> float16_bits{0x3C00, 0x8000, 0x0001, 0x7C00, 0x7E2A, 0xFE2A};
constexpr std::array<std::uint32_t, 6> float32_bits{0x3F800000, 0x80000000, 0x00000001,
                                                    0x7F800000, 0x7FC12345, 0xFFC12345};
constexpr std::array<std::uint64_t, 6> float64_bits{0x3FF0000000000000, 0x8000000000000000,
                                                    0x0000000000000001, 0x7FF0000000000000,
                                                    0x7FF8123456789ABC, 0xFFF8123456789ABC};
constexpr std::array<std::uint16_t, 6> bfloat16_bits{0x3F80, 0x7FC0, 0x8000,
                                                     0x0001, 0x7F80, 0xFFC1};

template <typename T, std::size_t n>
void expect_patterns_cross(Case& c, std::uint8_t code, const std::array<T, n>& patterns) {
  std::vector<T> values(static_cast<std::size_t>(c.draw.between(1, 6)));
  for (T& value : values)
    value = c.draw.one_of(patterns);
  expect_crosses(c, {code, sizeof(T) * 8, 1}, bytes_of(values));
}

DLCERT_CHECK(ieee_floats_cross,
             producer_check("abi.dtype.float", "IEEE floats are exported as code 2, bit for bit",
                            exporting),
             consumer_check("abi.dtype.float", "code 2 is imported as IEEE floats, bit for bit",
                            importing)) {
  constexpr std::array<Body, 3> widths{
      [](Case& k) { expect_patterns_cross(k, kDLFloat, float32_bits); },
      [](Case& k) { expect_patterns_cross(k, kDLFloat, float16_bits); },
      [](Case& k) { expect_patterns_cross(k, kDLFloat, float64_bits); }};
  c.draw.one_of(widths)(c);
}

DLCERT_CHECK(brain_floats_cross,
             producer_check("abi.dtype.bfloat16",
                            "brain floats are exported as code 4 with 16 bits", exporting),
             consumer_check("abi.dtype.bfloat16", "code 4 with 16 bits is imported as brain floats",
                            importing)) {
  expect_patterns_cross(c, kDLBfloat, bfloat16_bits);
}

// ---- data that has no code of its own -----------------------------------------------------------

DLCERT_CHECK(brain_float_pairs_are_no_half_pairs,
             if_touched(producer_check("abi.dtype.extended-float",
                                       "pairs of brain floats are not exported as code 5",
                                       exporting))) {
  const TensorSpec spec = compact_spec({kDLComplex, 32, 1}, {2});
  const auto exported = try_export_state(c, spec, DLCERT_STATE_BFLOAT_COMPLEX,
                                         bytes_of<std::uint16_t>({0x3F80, 0xC000, 0x4040, 0x0000}));
  if (!exported) return;
  const DLDataType& dtype = exported->managed().tensor().dtype;
  expect_field(
      exported->managed(),
      (dtype.code != kDLComplex && dtype.code != kDLFloat) ||
          c.settings.policy("extended-float") == "record",
      "exported.dl_tensor.dtype.code != 5 && exported.dl_tensor.dtype.code != 2",
      "dtype of a pair of brain floats: expected a refusal or another code but found {}/{}",
      dtype.code, dtype.bits);
}

DLCERT_CHECK(extended_floats_are_not_code_2,
             if_touched(producer_check("abi.dtype.extended-float",
                                       "80-bit floats are not exported as code 2", exporting))) {
  const TensorSpec spec = compact_spec({kDLFloat, 128, 1}, {2});
  const auto exported = try_export_state(c, spec, DLCERT_STATE_EXTENDED_FLOAT, Bytes(32));
  if (!exported) return;
  const DLDataType& dtype = exported->managed().tensor().dtype;
  expect_field(exported->managed(),
               dtype.code != kDLFloat || c.settings.policy("extended-float") == "record",
               "exported.dl_tensor.dtype.code != 2",
               "export of 80-bit floats: expected a refusal but found code 2 with {} bits",
               dtype.bits);
}

// ---- byte order ---------------------------------------------------------------------------------

constexpr dlcert_dtype int32{kDLInt, 32, 1};

// Elements of several bytes, none like its neighbour, of a library that has no int32.
void expect_other_numbers_cross(Case& c) {
  for (const dlcert_dtype dtype : scalar_dtypes()) {
    const std::size_t item = logical_item_size(dtype);
    if (item < 2 || dtype.code == kDLOpaqueHandle || !claims_some_shape(c.subject(), {dtype}))
      continue;
    Bytes values(2 * item);
    for (std::size_t at = 0; at < values.size(); ++at)
      values[at] = static_cast<std::byte>(at + 1);
    return expect_crosses(c, dtype, values);
  }
  throw NotClaimed{"elements of several bytes"};
}

bool has_int32(const Case& c) {
  return c.subject().can(vector_spec(int32, Bytes(8)));
}

DLCERT_CHECK(exports_are_in_native_order,
             producer_check("abi.dtype.native-endian", "elements are exported in native byte order",
                            exporting)) {
  if (!has_int32(c)) return expect_other_numbers_cross(c);
  const Bytes native = bytes_of<std::int32_t>({0x01020304, -2});
  const ExportedSource exported = export_made(c, vector_spec(int32, native), native);
  std::int32_t value = 0;
  std::memcpy(&value, exported.managed().first_element(), sizeof value);
  in_elements(exported.managed(), native,
              [&] { expect_equal("first element", 0x01020304, value); });
}

constexpr std::array<dlcert_dtype, 6> integers_of_several_bytes{{{kDLInt, 16, 1},
                                                                 {kDLInt, 32, 1},
                                                                 {kDLInt, 64, 1},
                                                                 {kDLUInt, 16, 1},
                                                                 {kDLUInt, 32, 1},
                                                                 {kDLUInt, 64, 1}}};

DLCERT_CHECK(swapped_data_is_not_exported_as_it_lies,
             if_touched(producer_check(
                 "abi.dtype.native-endian",
                 "byte-swapped data is refused or exported in native byte order", exporting))) {
  const Bytes native = bytes_of<std::int32_t>({0x01020304, 0x0A0B0C0D});
  const TensorSpec spec = vector_spec(c.draw.one_of(integers_of_several_bytes), native);
  const auto exported = try_export_state(c, spec, DLCERT_STATE_BYTE_SWAPPED, native);
  if (exported) expect_gathered(exported->managed(), native);
}

DLCERT_CHECK(imports_are_read_in_native_order,
             consumer_check("abi.dtype.native-endian", "elements are read in native byte order",
                            importing)) {
  if (!has_int32(c)) return expect_other_numbers_cross(c);
  const Bytes native = bytes_of<std::int32_t>({0x01020304, -2});
  expect_imports(c, vector_spec(int32, native), native);
}

}  // namespace
}  // namespace dlcert::abi
