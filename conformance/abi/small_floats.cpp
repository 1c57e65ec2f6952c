// SPDX-License-Identifier: Apache-2.0
//
// Floats of 8, 6 and 4 bits: a code for each format, and widths that consumers check.

#include <array>
#include <numeric>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(small_floats)

namespace {

constexpr std::array<std::uint8_t, 8> fp8_codes{
    kDLFloat8_e4m3fn, kDLFloat8_e3m4,     kDLFloat8_e4m3,     kDLFloat8_e4m3b11fnuz,
    kDLFloat8_e5m2,   kDLFloat8_e4m3fnuz, kDLFloat8_e5m2fnuz, kDLFloat8_e8m0fnu};

// Every pattern below 2^bits, each in a byte of its own.
Bytes all_patterns(unsigned bits) {
  std::vector<std::uint8_t> patterns(std::size_t{1} << bits);
  std::iota(patterns.begin(), patterns.end(), std::uint8_t{0});
  return bytes_of(patterns);
}

DLCERT_CHECK(fp8_formats_keep_their_codes,
             producer_check("abi.dtype.fp8-codes",
                            "each 8-bit float format is exported under its own code, bit for bit",
                            exporting),
             consumer_check("abi.dtype.fp8-codes",
                            "each 8-bit float format is imported by its own code, bit for bit",
                            importing)) {
  expect_crosses(c, {c.draw.one_of(fp8_codes), 8, 1}, all_patterns(8));
}

DLCERT_CHECK(fp6_formats_keep_codes_and_width,
             producer_check("abi.dtype.fp6-codes",
                            "6-bit floats are exported as codes 15 and 16 with 6 bits", exporting),
             consumer_check("abi.dtype.fp6-codes",
                            "codes 15 and 16 with 6 bits are imported as 6-bit floats",
                            importing)) {
  constexpr std::array<std::uint8_t, 2> codes{kDLFloat6_e2m3fn, kDLFloat6_e3m2fn};
  expect_crosses(c, {c.draw.one_of(codes), 6, 1}, all_patterns(6));
}

DLCERT_CHECK(fp4_keeps_code_and_width,
             producer_check("abi.dtype.fp4-code",
                            "4-bit floats are exported as code 17 with 4 bits", exporting),
             consumer_check("abi.dtype.fp4-code", "code 17 with 4 bits is imported as 4-bit floats",
                            importing)) {
  expect_crosses(c, {kDLFloat4_e2m1fn, 4, 1}, all_patterns(4));
}

struct Width {
  std::uint8_t code, bits;
};

constexpr std::array<Width, 12> wrong_widths{{{kDLFloat6_e2m3fn, 8},
                                              {kDLFloat6_e3m2fn, 4},
                                              {kDLFloat4_e2m1fn, 8},
                                              {kDLFloat4_e2m1fn, 0},
                                              {kDLFloat6_e2m3fn, 0},
                                              {kDLFloat6_e2m3fn, 4},
                                              {kDLFloat6_e3m2fn, 8},
                                              {kDLFloat6_e3m2fn, 32},
                                              {kDLFloat4_e2m1fn, 2},
                                              {kDLFloat4_e2m1fn, 6},
                                              {kDLFloat4_e2m1fn, 16},
                                              {kDLFloat4_e2m1fn, 255}}};

DLCERT_CHECK(
    other_widths_are_refused,
    if_touched(consumer_check("abi.dtype.fp6-fp4-bits-checked",
                              "the consumer refuses 6- and 4-bit floats whose bits are not 6 or 4",
                              importing))) {
  const auto [code, bits] = c.draw.one_of(wrong_widths);
  const TensorSpec spec = compact_spec({code, bits, 1}, {2});
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, describe_spec(spec, path.form), Bytes(64)};
  touched_by_outcome(c, imported);
  imported.expect_refused("a 6- or 4-bit float under another width");
  imported.expect_one_deletion();
}

}  // namespace
}  // namespace dlcert::abi
