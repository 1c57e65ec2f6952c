// SPDX-License-Identifier: Apache-2.0
//
// What the library's own dlpack.h declares: versions, sizes, offsets and codes, as its C and C++
// builds see them.

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "abi/families.hpp"
#include "abi/support.hpp"

namespace dlcert::abi {
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

// ---- sizes and offsets --------------------------------------------------------------------------

struct Fact {
  std::string_view name;
  std::int32_t Facts::*field;
  std::int32_t expected;
};

constexpr std::array version_struct{
    Fact{"sizeof(DLPackVersion)", &Facts::version_bytes, 8},
    Fact{"offset of DLPackVersion::major", &Facts::version_major_offset, 0},
    Fact{"offset of DLPackVersion::minor", &Facts::version_minor_offset, 4},
};
constexpr std::array device_struct{
    Fact{"sizeof(DLDevice)", &Facts::device_bytes, 8},
    Fact{"offset of DLDevice::device_type", &Facts::device_type_offset, 0},
    Fact{"offset of DLDevice::device_id", &Facts::device_id_offset, 4},
};
constexpr std::array dtype_struct{
    Fact{"sizeof(DLDataType)", &Facts::dtype_bytes, 4},
    Fact{"offset of DLDataType::code", &Facts::dtype_code_offset, 0},
    Fact{"offset of DLDataType::bits", &Facts::dtype_bits_offset, 1},
    Fact{"offset of DLDataType::lanes", &Facts::dtype_lanes_offset, 2},
};
constexpr std::array tensor_struct{
    Fact{"sizeof(DLTensor)", &Facts::tensor_bytes, 48},
    Fact{"offset of DLTensor::data", &Facts::tensor_data_offset, 0},
    Fact{"offset of DLTensor::device", &Facts::tensor_device_offset, 8},
    Fact{"offset of DLTensor::ndim", &Facts::tensor_ndim_offset, 16},
    Fact{"offset of DLTensor::dtype", &Facts::tensor_dtype_offset, 20},
    Fact{"offset of DLTensor::shape", &Facts::tensor_shape_offset, 24},
    Fact{"offset of DLTensor::strides", &Facts::tensor_strides_offset, 32},
    Fact{"offset of DLTensor::byte_offset", &Facts::tensor_byte_offset_offset, 40},
};
constexpr std::array legacy_struct{
    Fact{"sizeof(DLManagedTensor)", &Facts::legacy_bytes, 64},
    Fact{"offset of DLManagedTensor::dl_tensor", &Facts::legacy_tensor_offset, 0},
    Fact{"offset of DLManagedTensor::manager_ctx", &Facts::legacy_context_offset, 48},
    Fact{"offset of DLManagedTensor::deleter", &Facts::legacy_deleter_offset, 56},
};
constexpr std::array versioned_struct{
    Fact{"sizeof(DLManagedTensorVersioned)", &Facts::versioned_bytes, 80},
    Fact{"offset of DLManagedTensorVersioned::version", &Facts::versioned_version_offset, 0},
    Fact{"offset of DLManagedTensorVersioned::manager_ctx", &Facts::versioned_context_offset, 8},
    Fact{"offset of DLManagedTensorVersioned::deleter", &Facts::versioned_deleter_offset, 16},
    Fact{"offset of DLManagedTensorVersioned::flags", &Facts::versioned_flags_offset, 24},
    Fact{"offset of DLManagedTensorVersioned::dl_tensor", &Facts::versioned_tensor_offset, 32},
};

// The layouts are those of 64-bit pointers; a struct that the header lacks altogether is not its
// business.
template <const auto& layout>
void header_has_the_layout(Case& c) {
  for_each_view(c.subject(), [](const Facts& facts) {
    if (facts.pointer_bytes != 8) throw NotClaimed{"64-bit pointers"};
    const auto unknown = [&](const Fact& fact) { return facts.*fact.field == DLCERT_FACT_UNKNOWN; };
    if (std::all_of(layout.begin(), layout.end(), unknown))
      throw NotClaimed{"a dlpack.h that declares this struct"};
    for (const Fact& fact : layout)
      expect_equal(fact.name, fact.expected, facts.*fact.field);
  });
}

// ---- codes --------------------------------------------------------------------------------------

constexpr std::array device_codes_base{1, 2, 3, 4, 7, 8, 9, 10};
constexpr std::array device_codes_host_managed{11, 13};
constexpr std::array device_code_extension{12};
constexpr std::array device_codes_late{14, 15, 16, 17, 18};

constexpr std::array dtype_code_int{0};
constexpr std::array dtype_code_uint{1};
constexpr std::array dtype_code_float{2};
constexpr std::array dtype_code_opaque{3};
constexpr std::array dtype_code_bfloat{4};
constexpr std::array dtype_code_complex{5};
constexpr std::array dtype_code_bool{6};
constexpr std::array dtype_codes_fp8{7, 8, 9, 10, 11, 12, 13, 14};
constexpr std::array dtype_codes_fp6{15, 16};
constexpr std::array dtype_code_fp4{17};

void expect_codes(std::string_view what, std::span<const int> codes,
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

template <const auto& codes>
void header_has_the_device_codes(Case& c) {
  for_each_view(c.subject(), [](const Facts& facts) {
    expect_codes("value of a device type", codes, facts.device_codes);
  });
}

template <const auto& codes>
void header_has_the_dtype_codes(Case& c) {
  for_each_view(c.subject(), [](const Facts& facts) {
    expect_codes("value of a type code", codes, facts.dtype_codes);
  });
}

template <std::size_t bit>
void header_has_the_flag(Case& c) {
  for_each_view(c.subject(), [](const Facts& facts) {
    const std::int32_t mask = facts.flag_masks[bit];
    if (mask == DLCERT_FACT_UNKNOWN) throw NotClaimed{"a dlpack.h that declares this flag"};
    expect_equal("mask of a flag", std::int32_t{1} << bit, mask);
  });
}

// ---- the rest -----------------------------------------------------------------------------------

void header_has_two_version_macros(Case& c) {
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

void c_and_cxx_see_the_same_header(Case& c) {
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
  const auto [cxx_at, c_at] = std::mismatch(in_cxx.begin(), in_cxx.end(), in_c.begin());
  expect(cxx_at == in_cxx.end(),
         "C and C++ disagree on word {} of dlcert_dlpack_facts: expected {} (C++) but found {} (C)",
         cxx_at - in_cxx.begin(), cxx_at == in_cxx.end() ? 0 : *cxx_at,
         c_at == in_c.end() ? 0 : *c_at);
}

void device_type_is_32_bits_wide(Case& c) {
  const auto cxx = cxx_facts(c.subject());
  const auto plain_c = c_facts(c.subject());
  if (!cxx && !plain_c) throw NotClaimed{"facts of its dlpack.h"};
  if (cxx) expect_equal("sizeof(DLDeviceType) in C++", std::int32_t{4}, cxx->device_type_bytes);
  if (plain_c) expect_equal("sizeof(DLDevice) in C", std::int32_t{8}, plain_c->device_bytes);
}

void add_fact(Suite& suite, std::string_view requirement, std::string_view sentence,
              void (*body)(Case&)) {
  add_for_both_roles(suite,
                     {.requirement = requirement, .sentence = sentence, .rows = 1, .body = body});
}

void register_layout_facts(Suite& suite) {
  add_fact(suite, "abi.header.version-macros",
           "the library's dlpack.h has a major and a minor version number",
           header_has_two_version_macros);
  add_fact(suite, "abi.header.c-and-cxx", "the library's dlpack.h says the same to C and to C++",
           c_and_cxx_see_the_same_header);
  add_fact(suite, "abi.enum.device-width-32",
           "the library's dlpack.h gives a device type four bytes", device_type_is_32_bits_wide);
  add_fact(suite, "abi.layout.version-struct",
           "the library's dlpack.h has the version as two 32-bit integers, major first",
           header_has_the_layout<version_struct>);
  add_fact(suite, "abi.layout.device-struct",
           "the library's dlpack.h has the device as a 32-bit type before a 32-bit index",
           header_has_the_layout<device_struct>);
  add_fact(suite, "abi.layout.dtype-struct",
           "the library's dlpack.h has the data type as code, bits and lanes in four bytes",
           header_has_the_layout<dtype_struct>);
  add_fact(suite, "abi.layout.dltensor",
           "the library's dlpack.h has the descriptor's fields where the standard has them",
           header_has_the_layout<tensor_struct>);
  add_fact(suite, "abi.layout.managed-legacy",
           "the library's dlpack.h has the legacy managed tensor's fields where the standard has "
           "them",
           header_has_the_layout<legacy_struct>);
  add_fact(suite, "abi.layout.managed-versioned",
           "the library's dlpack.h has the versioned managed tensor's fields where the standard "
           "has them",
           header_has_the_layout<versioned_struct>);
}

void register_flag_facts(Suite& suite) {
  const auto add = [&suite](std::string_view requirement, Body body) {
    suite.add({.requirement = requirement,
               .sentence = "the library's dlpack.h gives this flag its bit",
               .role = Role::producer,
               .rows = 1,
               .body = body});
  };
  add("abi.flags.read-only-bit", header_has_the_flag<0>);
  add("abi.flags.copied-bit", header_has_the_flag<1>);
  add("abi.flags.subbyte-padded-bit", header_has_the_flag<2>);
}

void register_code_facts(Suite& suite) {
  constexpr std::string_view devices = "the library's dlpack.h gives these devices their codes";
  constexpr std::string_view dtypes = "the library's dlpack.h gives this type its code";
  add_fact(suite, "abi.device.codes-base", devices, header_has_the_device_codes<device_codes_base>);
  add_fact(suite, "abi.device.codes-host-managed", devices,
           header_has_the_device_codes<device_codes_host_managed>);
  add_fact(suite, "abi.device.code-extdev", devices,
           header_has_the_device_codes<device_code_extension>);
  add_fact(suite, "abi.device.codes-late", devices, header_has_the_device_codes<device_codes_late>);
  add_fact(suite, "abi.dtype.int", dtypes, header_has_the_dtype_codes<dtype_code_int>);
  add_fact(suite, "abi.dtype.uint", dtypes, header_has_the_dtype_codes<dtype_code_uint>);
  add_fact(suite, "abi.dtype.float", dtypes, header_has_the_dtype_codes<dtype_code_float>);
  add_fact(suite, "abi.dtype.opaque-handle", dtypes, header_has_the_dtype_codes<dtype_code_opaque>);
  add_fact(suite, "abi.dtype.bfloat16", dtypes, header_has_the_dtype_codes<dtype_code_bfloat>);
  add_fact(suite, "abi.dtype.complex-bits", dtypes, header_has_the_dtype_codes<dtype_code_complex>);
  add_fact(suite, "abi.dtype.bool-code", dtypes, header_has_the_dtype_codes<dtype_code_bool>);
  add_fact(suite, "abi.dtype.fp8-codes", dtypes, header_has_the_dtype_codes<dtype_codes_fp8>);
  add_fact(suite, "abi.dtype.fp6-codes", dtypes, header_has_the_dtype_codes<dtype_codes_fp6>);
  add_fact(suite, "abi.dtype.fp4-code", dtypes, header_has_the_dtype_codes<dtype_code_fp4>);
}

}  // namespace

void register_header_checks(Suite& suite) {
  register_layout_facts(suite);
  register_code_facts(suite);
  register_flag_facts(suite);
}

}  // namespace dlcert::abi
