// SPDX-License-Identifier: Apache-2.0
//
// Complex numbers and booleans.

#include <array>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(complex_and_bool)

namespace {

// ---- complex ------------------------------------------------------------------------------------

DLCERT_CHECK(complex_bits_count_the_pair,
             producer_check("abi.dtype.complex-bits",
                            "complex numbers are exported as code 5 and the bits of the pair",
                            exporting),
             consumer_check("abi.dtype.complex-bits",
                            "code 5 is imported with its bits counting the pair", importing)) {
  constexpr std::array<std::uint8_t, 3> widths{64, 128, 32};
  const std::uint8_t bits = c.draw.one_of(widths);
  Bytes pairs(static_cast<std::size_t>(c.draw.between(1, 4)) * bits / 8);
  for (std::size_t i = 0; i < pairs.size(); ++i)  // numbers of either width, and all different
    pairs[i] = static_cast<std::byte>(0x30 + i % 16);
  expect_crosses(c, {kDLComplex, bits, 1}, pairs);
}

DLCERT_CHECK(complex_is_real_then_imaginary,
             producer_check("abi.dtype.complex-layout",
                            "complex numbers are exported as real, then imaginary part", exporting),
             consumer_check("abi.dtype.complex-layout",
                            "complex numbers are imported as real, then imaginary part",
                            importing)) {
  const Bytes pairs = bytes_of<float>({1, -2, 3, 4});
  const TensorSpec spec = compact_spec({kDLComplex, 64, 1}, {2});
  if (c.role() == Role::consumer) return expect_imports(c, spec, pairs);
  const ExportedSource exported = export_made(c, spec, pairs);
  std::array<float, 2> first{};
  std::memcpy(first.data(), exported.managed().first_element(), sizeof first);
  in_elements(exported.managed(), pairs, [&] {
    expect(first[0] == 1 && first[1] == -2,
           "first element: expected 1 then -2 but found {} then {}", first[0], first[1]);
  });
}

// ---- booleans -----------------------------------------------------------------------------------

constexpr dlcert_dtype boolean8{kDLBool, 8, 1};

DLCERT_CHECK(booleans_are_exported_in_bytes,
             producer_check("abi.dtype.bool-8bit", "booleans are exported as code 6 with 8 bits",
                            exporting)) {
  const Bytes values = bytes_of<std::uint8_t>({1, 0, 1});
  const ExportedSource exported = export_made(c, vector_spec(boolean8, values), values);
  const dlcert_dtype found = exported_dtype(exported.managed());
  if (c.settings.policy("bool-width") == "record")
    c.observe(found == boolean8 ? "code 6 with 8 bits" : "another type");
  else
    expect_dtype(exported.managed(), boolean8);
  expect_gathered(exported.managed(), values);
}

DLCERT_CHECK(booleans_are_imported_from_bytes,
             consumer_check("abi.dtype.bool-8bit", "code 6 with 8 bits is imported, a byte each",
                            importing)) {
  const Bytes values = bytes_of<std::uint8_t>({1, 0, 1});
  expect_imports(c, vector_spec(boolean8, values), values);
}

// The integers 1, 0 and 1 of a width; empty for other types.
Bytes one_zero_one(dlcert_dtype dtype) {
  const bool integer = dtype.code == kDLInt || dtype.code == kDLUInt;
  if (!integer || dtype.lanes != 1 || dtype.bits % 8 != 0) return {};
  const std::size_t width = dtype.bits / 8;
  Bytes bytes(3 * width);
  if (width != 0) bytes[0] = bytes[2 * width] = std::byte{1};
  return bytes;
}

// A library without booleans may keep false and true as the integers 0 and 1: they mean the same.
void expect_kept_or_converted(Case& c, ImportedOffer& imported) {
  const dlcert_dtype found = imported.description().dtype;
  const Bytes numbers = one_zero_one(found);
  if (found == boolean8 || !numbers.empty()) {
    c.touched();
    expect_equal("elements", numbers.empty() ? bytes_of<std::uint8_t>({1, 0, 1}) : numbers,
                 imported.read());
  } else {
    c.declined("converted to another type");
  }
  imported.expect_one_deletion();
}

struct WideBoolean {
  std::uint8_t bits;
  Bytes storage;  // of true, false, true
};

DLCERT_CHECK(other_widths_are_refused_or_understood,
             if_touched(consumer_check(
                 "abi.dtype.bool-8bit",
                 "booleans of another width are refused, handed on or converted", importing))) {
  const std::array<WideBoolean, 2> offers{
      {{1, Bytes{std::byte{0b101}}}, {32, bytes_of<std::uint32_t>({1, 0, 1})}}};
  const WideBoolean& offered = c.draw.one_of(offers);
  const TensorSpec spec = compact_spec({kDLBool, offered.bits, 1}, {3});
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, describe_spec(spec, path.form), offered.storage};
  if (!imported.accepted()) {
    c.observe("refused");
  } else if (imported.description().dtype == spec.dtype) {
    c.observe("handed on unchanged");
  } else {
    c.observe("converted");
    if (!c.consumer.can(compact_spec(boolean8, {3}))) return expect_kept_or_converted(c, imported);
    imported.expect_holds(compact_spec(boolean8, {3}), bytes_of<std::uint8_t>({1, 0, 1}));
  }
  touched_by_outcome(c, imported);
  imported.expect_one_deletion();
}

DLCERT_CHECK(only_booleans_are_exported_as_code_6,
             producer_check("abi.dtype.bool-code", "nothing but booleans is exported as code 6",
                            exporting)) {
  const ExportedSource exported = export_drawn(c);
  if (exported.spec.dtype.code == kDLBool) throw NotClaimed{"types but booleans"};
  expect_field(exported.managed(), exported_dtype(exported.managed()).code != kDLBool,
               "exported.dl_tensor.dtype.code != 6", "dtype of {}: found code 6",
               to_text(exported.spec.dtype));
}

DLCERT_CHECK(code_6_is_imported_as_boolean,
             if_touched(consumer_check("abi.dtype.bool-code",
                                       "code 6 with 8 bits is imported as booleans or refused",
                                       importing))) {
  const Bytes values = bytes_of<std::uint8_t>({1, 0, 1});
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  const TensorSpec spec = vector_spec(boolean8, values);
  ImportedOffer imported{c, path.route, make_offer(spec, values, path.form)};
  if (!c.consumer.can(spec) && imported.accepted()) return expect_kept_or_converted(c, imported);
  expect_right_if_accepted(c, imported, spec, values);
}

DLCERT_CHECK(bytes_are_not_imported_as_booleans,
             consumer_check("abi.dtype.bool-code", "unsigned bytes are not imported as booleans",
                            importing)) {
  const Bytes values = bytes_of<std::uint8_t>({0, 1, 2, 255});
  expect_imports(c, vector_spec({kDLUInt, 8, 1}, values), values);
}

}  // namespace
}  // namespace dlcert::abi
