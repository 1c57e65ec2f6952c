// SPDX-License-Identifier: Apache-2.0
//
// What the library's own dlpack.h declares: versions, sizes, offsets and codes, as its C and C++
// builds see them.

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(header_facts)

namespace {

using Facts = dlcert_dlpack_facts;

// The facts that an adapter told; what lies beyond its struct_size is unknown.
Facts complete(const Facts& told) {
  static_assert(sizeof(Facts) % sizeof(std::int32_t) == 0);
  std::array<std::int32_t, sizeof(Facts) / sizeof(std::int32_t)> words;
  words.fill(DLCERT_FACT_UNKNOWN);
  std::memcpy(words.data(), &told, std::min<std::size_t>(told.struct_size, sizeof(Facts)));
  Facts facts;
  std::memcpy(&facts, words.data(), sizeof facts);
  return facts;
}

std::optional<Facts> cxx_facts(const Party& party) {
  if (!party.offers(Needs{} | Can::cxx_facts)) return std::nullopt;
  return complete(*party.table().cxx_facts);
}

std::optional<Facts> c_facts(const Party& party) {
  if (!party.offers(Needs{} | Can::c_facts)) return std::nullopt;
  return complete(*party.table().c_facts);
}

// Applies `judge` to what C++ and C see, as far as the adapter tells.
template <typename Judge>
void for_each_view(const Party& party, Judge judge) {
  const auto cxx = cxx_facts(party);
  const auto c = c_facts(party);
  if (!cxx && !c) throw NotClaimed{"facts of its dlpack.h"};
  if (cxx) judge(*cxx);
  if (c) judge(*c);
}

std::vector<Check> fact(std::string_view requirement, std::string_view sentence) {
  return fact_checks(
      in_both_roles(Check{.requirement = requirement, .sentence = sentence, .rows = 1}));
}

// ---- sizes and offsets --------------------------------------------------------------------------

struct Field {
  std::string_view name;
  std::int32_t Facts::*value;
  std::int32_t expected;
};

// The layouts are those of 64-bit pointers; a struct that the header lacks altogether is not its
// business.
void expect_layout(Case& c, std::span<const Field> fields) {
  for_each_view(c.subject(), [&](const Facts& facts) {
    if (facts.pointer_bytes != 8) throw NotClaimed{"64-bit pointers"};
    const auto unknown = [&](const Field& field) {
      return facts.*field.value == DLCERT_FACT_UNKNOWN;
    };
    if (std::ranges::all_of(fields, unknown))
      throw NotClaimed{"a dlpack.h that declares this struct"};
    for (const Field& field : fields)
      expect_equal(field.name, field.expected, facts.*field.value);
  });
}

constexpr std::array version_struct{
    Field{"sizeof(DLPackVersion)", &Facts::version_bytes, 8},
    Field{"offset of DLPackVersion::major", &Facts::version_major_offset, 0},
    Field{"offset of DLPackVersion::minor", &Facts::version_minor_offset, 4},
};

DLCERT_CHECK(header_has_the_version_struct,
             fact("abi.layout.version-struct",
                  "the library's dlpack.h has the version as two 32-bit integers, major first")) {
  expect_layout(c, version_struct);
}

constexpr std::array device_struct{
    Field{"sizeof(DLDevice)", &Facts::device_bytes, 8},
    Field{"offset of DLDevice::device_type", &Facts::device_type_offset, 0},
    Field{"offset of DLDevice::device_id", &Facts::device_id_offset, 4},
};

DLCERT_CHECK(header_has_the_device_struct,
             fact("abi.layout.device-struct",
                  "the library's dlpack.h has the device as a 32-bit type before a 32-bit index")) {
  expect_layout(c, device_struct);
}

constexpr std::array dtype_struct{
    Field{"sizeof(DLDataType)", &Facts::dtype_bytes, 4},
    Field{"offset of DLDataType::code", &Facts::dtype_code_offset, 0},
    Field{"offset of DLDataType::bits", &Facts::dtype_bits_offset, 1},
    Field{"offset of DLDataType::lanes", &Facts::dtype_lanes_offset, 2},
};

DLCERT_CHECK(
    header_has_the_dtype_struct,
    fact("abi.layout.dtype-struct",
         "the library's dlpack.h has the data type as code, bits and lanes in four bytes")) {
  expect_layout(c, dtype_struct);
}

constexpr std::array tensor_struct{
    Field{"sizeof(DLTensor)", &Facts::tensor_bytes, 48},
    Field{"offset of DLTensor::data", &Facts::tensor_data_offset, 0},
    Field{"offset of DLTensor::device", &Facts::tensor_device_offset, 8},
    Field{"offset of DLTensor::ndim", &Facts::tensor_ndim_offset, 16},
    Field{"offset of DLTensor::dtype", &Facts::tensor_dtype_offset, 20},
    Field{"offset of DLTensor::shape", &Facts::tensor_shape_offset, 24},
    Field{"offset of DLTensor::strides", &Facts::tensor_strides_offset, 32},
    Field{"offset of DLTensor::byte_offset", &Facts::tensor_byte_offset_offset, 40},
};

DLCERT_CHECK(
    header_has_the_tensor_struct,
    fact("abi.layout.dltensor",
         "the library's dlpack.h has the descriptor's fields where the standard has them")) {
  expect_layout(c, tensor_struct);
}

constexpr std::array legacy_struct{
    Field{"sizeof(DLManagedTensor)", &Facts::legacy_bytes, 64},
    Field{"offset of DLManagedTensor::dl_tensor", &Facts::legacy_tensor_offset, 0},
    Field{"offset of DLManagedTensor::manager_ctx", &Facts::legacy_context_offset, 48},
    Field{"offset of DLManagedTensor::deleter", &Facts::legacy_deleter_offset, 56},
};

DLCERT_CHECK(header_has_the_legacy_struct, fact("abi.layout.managed-legacy",
                                                "the library's dlpack.h has the legacy managed "
                                                "tensor's fields where the standard has them")) {
  expect_layout(c, legacy_struct);
}

constexpr std::array versioned_struct{
    Field{"sizeof(DLManagedTensorVersioned)", &Facts::versioned_bytes, 80},
    Field{"offset of DLManagedTensorVersioned::version", &Facts::versioned_version_offset, 0},
    Field{"offset of DLManagedTensorVersioned::manager_ctx", &Facts::versioned_context_offset, 8},
    Field{"offset of DLManagedTensorVersioned::deleter", &Facts::versioned_deleter_offset, 16},
    Field{"offset of DLManagedTensorVersioned::flags", &Facts::versioned_flags_offset, 24},
    Field{"offset of DLManagedTensorVersioned::dl_tensor", &Facts::versioned_tensor_offset, 32},
};

DLCERT_CHECK(header_has_the_versioned_struct,
             fact("abi.layout.managed-versioned",
                  "the library's dlpack.h has the versioned managed tensor's fields where the "
                  "standard has them")) {
  expect_layout(c, versioned_struct);
}

// ---- codes --------------------------------------------------------------------------------------

void expect_codes(std::string_view what, std::initializer_list<int> codes,
                  std::span<const std::int32_t> declared) {
  bool known = false;
  for (const int code : codes) {
    const std::int32_t value = declared[static_cast<std::size_t>(code)];
    if (value == DLCERT_FACT_UNKNOWN) continue;  // the header is older than the code
    known = true;
    expect_equal(what, std::int32_t{code}, value);
  }
  if (!known) throw NotClaimed{"a dlpack.h that declares these codes"};
}

void expect_device_codes(Case& c, std::initializer_list<int> codes) {
  for_each_view(c.subject(), [&](const Facts& facts) {
    expect_codes("value of a device type", codes, facts.device_codes);
  });
}

std::vector<Check> device_codes(std::string_view requirement) {
  return fact(requirement, "the library's dlpack.h gives these devices their codes");
}

DLCERT_CHECK(header_has_the_first_device_codes, device_codes("abi.device.codes-base")) {
  expect_device_codes(c, {1, 2, 3, 4, 7, 8, 9, 10});
}

DLCERT_CHECK(header_has_the_host_and_managed_device_codes,
             device_codes("abi.device.codes-host-managed")) {
  expect_device_codes(c, {11, 13});
}

DLCERT_CHECK(header_has_the_extension_device_code, device_codes("abi.device.code-extdev")) {
  expect_device_codes(c, {12});
}

DLCERT_CHECK(header_has_the_late_device_codes, device_codes("abi.device.codes-late")) {
  expect_device_codes(c, {14, 15, 16, 17, 18});
}

void expect_dtype_codes(Case& c, std::initializer_list<int> codes) {
  for_each_view(c.subject(), [&](const Facts& facts) {
    expect_codes("value of a type code", codes, facts.dtype_codes);
  });
}

std::vector<Check> dtype_codes(std::string_view requirement) {
  return fact(requirement, "the library's dlpack.h gives this type its code");
}

DLCERT_CHECK(header_has_the_int_code, dtype_codes("abi.dtype.int")) {
  expect_dtype_codes(c, {0});
}

DLCERT_CHECK(header_has_the_uint_code, dtype_codes("abi.dtype.uint")) {
  expect_dtype_codes(c, {1});
}

DLCERT_CHECK(header_has_the_float_code, dtype_codes("abi.dtype.float")) {
  expect_dtype_codes(c, {2});
}

DLCERT_CHECK(header_has_the_opaque_handle_code, dtype_codes("abi.dtype.opaque-handle")) {
  expect_dtype_codes(c, {3});
}

DLCERT_CHECK(header_has_the_bfloat_code, dtype_codes("abi.dtype.bfloat16")) {
  expect_dtype_codes(c, {4});
}

DLCERT_CHECK(header_has_the_complex_code, dtype_codes("abi.dtype.complex-bits")) {
  expect_dtype_codes(c, {5});
}

DLCERT_CHECK(header_has_the_bool_code, dtype_codes("abi.dtype.bool-code")) {
  expect_dtype_codes(c, {6});
}

DLCERT_CHECK(header_has_the_fp8_codes, dtype_codes("abi.dtype.fp8-codes")) {
  expect_dtype_codes(c, {7, 8, 9, 10, 11, 12, 13, 14});
}

DLCERT_CHECK(header_has_the_fp6_codes, dtype_codes("abi.dtype.fp6-codes")) {
  expect_dtype_codes(c, {15, 16});
}

DLCERT_CHECK(header_has_the_fp4_code, dtype_codes("abi.dtype.fp4-code")) {
  expect_dtype_codes(c, {17});
}

void expect_flag(Case& c, std::size_t bit) {
  for_each_view(c.subject(), [&](const Facts& facts) {
    const std::int32_t mask = facts.flag_masks[bit];
    if (mask == DLCERT_FACT_UNKNOWN) throw NotClaimed{"a dlpack.h that declares this flag"};
    expect_equal("mask of a flag", std::int32_t{1} << bit, mask);
  });
}

// Only producers set flags.
Check flag(std::string_view requirement) {
  return fact_check(
      producer_check(requirement, "the library's dlpack.h gives this flag its bit", Needs{}, 1));
}

DLCERT_CHECK(header_has_the_read_only_flag, flag("abi.flags.read-only-bit")) {
  expect_flag(c, 0);
}

DLCERT_CHECK(header_has_the_copied_flag, flag("abi.flags.copied-bit")) {
  expect_flag(c, 1);
}

DLCERT_CHECK(header_has_the_padded_flag, flag("abi.flags.subbyte-padded-bit")) {
  expect_flag(c, 2);
}

// ---- the rest -----------------------------------------------------------------------------------

DLCERT_CHECK(header_has_two_version_macros,
             fact("abi.header.version-macros",
                  "the library's dlpack.h has a major and a minor version number")) {
  for_each_view(c.subject(), [&c](const Facts& facts) {
    const bool has_packed_version = facts.legacy_version != DLCERT_FACT_UNKNOWN;
    const bool has_neither =
        facts.major_version == DLCERT_FACT_UNKNOWN && facts.minor_version == DLCERT_FACT_UNKNOWN;
    if (has_neither && has_packed_version) throw NotClaimed{"a dlpack.h of 1.0 or newer"};
    if (has_packed_version) c.observe("a version macro of 0.x is left");
    expect(facts.major_version >= 1, "DLPACK_MAJOR_VERSION: expected 1 or more but found {}",
           facts.major_version);
    expect(facts.minor_version >= 0, "DLPACK_MINOR_VERSION: expected 0 or more but found {}",
           facts.minor_version);
  });
}

DLCERT_CHECK(c_and_cxx_see_the_same_header,
             fact("abi.header.c-and-cxx", "the library's dlpack.h says the same to C and to C++")) {
  const auto cxx = cxx_facts(c.subject());
  const auto plain_c = c_facts(c.subject());
  if (!cxx || !plain_c) throw NotClaimed{"facts of its dlpack.h in both C and C++"};
  const auto words = [](const Facts& facts) {
    std::array<std::int32_t, sizeof(Facts) / sizeof(std::int32_t)> out;
    std::memcpy(out.data(), &facts, sizeof facts);
    out[0] = 0;  // struct_size: the adapter's parts may have been built against different releases
    return out;
  };
  const auto in_cxx = words(*cxx);
  const auto in_c = words(*plain_c);
  const bool told = std::any_of(in_cxx.begin() + 1, in_cxx.end(),
                                [](std::int32_t word) { return word != DLCERT_FACT_UNKNOWN; });
  if (!told && in_cxx == in_c) throw NotClaimed{"facts of its dlpack.h in both C and C++"};
  const auto [cxx_at, c_at] = std::mismatch(in_cxx.begin(), in_cxx.end(), in_c.begin());
  expect(cxx_at == in_cxx.end(),
         "C and C++ disagree on word {} of dlcert_dlpack_facts: expected {} (C++) but found {} (C)",
         cxx_at - in_cxx.begin(), cxx_at == in_cxx.end() ? 0 : *cxx_at,
         c_at == in_c.end() ? 0 : *c_at);
}

DLCERT_CHECK(device_type_is_32_bits_wide,
             fact("abi.enum.device-width-32",
                  "the library's dlpack.h gives a device type four bytes")) {
  const auto cxx = cxx_facts(c.subject());
  const auto plain_c = c_facts(c.subject());
  if (!cxx && !plain_c) throw NotClaimed{"facts of its dlpack.h"};
  if (cxx) expect_equal("sizeof(DLDeviceType) in C++", std::int32_t{4}, cxx->device_type_bytes);
  if (plain_c) expect_equal("sizeof(DLDevice) in C", std::int32_t{8}, plain_c->device_bytes);
}

}  // namespace
}  // namespace dlcert::abi
