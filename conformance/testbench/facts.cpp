// SPDX-License-Identifier: Apache-2.0

#include "testbench/facts.hpp"

#include <dlpack/dlpack.h>

#include <algorithm>
#include <array>

namespace dlcert::testbench {
namespace {

// The requirement about the code and the bits of a type; empty: no version has the code.
std::string_view owner_of_code(std::uint8_t code) {
  switch (code) {
    case kDLInt:
      return "abi.dtype.int";
    case kDLUInt:
      return "abi.dtype.uint";
    case kDLFloat:
      return "abi.dtype.float";
    case kDLOpaqueHandle:
      return "abi.dtype.opaque-handle";
    case kDLBfloat:
      return "abi.dtype.bfloat16";
    case kDLComplex:
      return "abi.dtype.complex-bits";
    case kDLBool:
      return "abi.dtype.bool-code";
    case kDLFloat6_e2m3fn:
    case kDLFloat6_e3m2fn:
      return "abi.dtype.fp6-codes";
    case kDLFloat4_e2m1fn:
      return "abi.dtype.fp4-code";
    default:
      return code <= kDLFloat8_e8m0fnu ? "abi.dtype.fp8-codes" : "";
  }
}

constexpr std::int32_t last_device_type = kDLTrn;

// Code, bits and lanes as they lie in memory.
std::array<std::uint8_t, 4> bytes_of(dlcert_dtype dtype) {
  return {dtype.code, dtype.bits, static_cast<std::uint8_t>(dtype.lanes & 0xff),
          static_cast<std::uint8_t>(dtype.lanes >> 8)};
}

bool have_changed_places(dlcert_dtype expected, dlcert_dtype found) {
  const auto one = bytes_of(expected);
  const auto other = bytes_of(found);
  return one != other && std::ranges::is_permutation(one, other);
}

void add(Owners& owners, std::string_view owner) {
  if (!owner.empty() && std::ranges::find(owners, owner) == owners.end()) owners.push_back(owner);
}

}  // namespace

Owners owners_of_dtype(dlcert_dtype expected, dlcert_dtype found) {
  Owners owners;
  if (have_changed_places(expected, found)) add(owners, "abi.layout.dtype-struct");
  if (owner_of_code(found.code).empty()) add(owners, "abi.dtype.code-in-enum");
  // Another type under the code of booleans or of opaque handles.
  if (found.code != expected.code && (found.code == kDLBool || found.code == kDLOpaqueHandle))
    add(owners, owner_of_code(found.code));
  if (expected.lanes != found.lanes)
    add(owners, expected.lanes == 1 ? "abi.dtype.lanes-scalar" : "abi.dtype.lanes-vector");
  if (expected.code != found.code || expected.bits != found.bits)
    add(owners, owner_of_code(expected.code));
  if (expected.code == kDLBool) add(owners, "abi.dtype.bool-8bit");
  return owners;
}

Owners owners_of_device(dlcert_device expected, dlcert_device found) {
  if (expected.type == found.id && expected.id == found.type)
    return {"abi.layout.device-struct", "abi.device.codes-base"};
  if (expected.type == found.type && expected.type == kDLCPU)
    return {"abi.device.id-zero-for-host", "abi.device.codes-base"};
  if (found.type < kDLCPU || found.type > last_device_type)
    return {"abi.device.codes-unassigned", "abi.device.codes-base"};
  const bool host_managed = found.type == kDLROCMHost || found.type == kDLCUDAManaged;
  if (host_managed) return {"abi.device.codes-host-managed", "abi.device.codes-base"};
  return {"abi.device.codes-base"};
}

Owners owners_of_version(DLPackVersion found) {
  if (found.minor == 1 && found.major != 1)
    return {"abi.layout.version-struct", "abi.version.producer-fills"};
  return {"abi.version.producer-fills"};
}

Owners owners_of_address() {
  return {"abi.data.byte-offset-meaning", "abi.data.device-address"};
}

void expect_described_dtype(dlcert_dtype expected, dlcert_dtype found) {
  owned_by(owners_of_dtype(expected, found), [&] { expect_equal("dtype", expected, found); });
}

Owners owners_of_elements(dlcert_dtype dtype, const Bytes& expected, const Bytes& found) {
  if (dtype.code == kDLComplex) return {"abi.dtype.complex-layout"};
  if (sub_byte(dtype) && std::ranges::is_permutation(expected, found))
    return {"abi.dtype.subbyte-bit-order"};
  return {};
}

void expect_named_device(std::string_view what, dlcert_device expected, dlcert_device found) {
  owned_by(owners_of_device(expected, found), [&] { expect_equal(what, expected, found); });
}

void expect_described_device(dlcert_device expected, dlcert_device found) {
  Owners owners = owners_of_device(expected, found);
  add(owners, "protocol.from.same-device-default");
  owned_by(owners, [&] { expect_equal("device", expected, found); });
}

void expect_imported_device_type(std::int32_t expected, std::int32_t found) {
  owned_by("protocol.from.same-device-default",
           [&] { expect_equal("device type", expected, found); });
}

void expect_same_flags(std::uint64_t expected, std::uint64_t found) {
  const std::uint64_t differing = expected ^ found;
  Owners owners;
  if ((differing & DLPACK_FLAG_BITMASK_READ_ONLY) != 0) {
    add(owners, "abi.flags.read-only-bit");
    add(owners, "sharing.read-only-propagated");
  }
  if ((differing & DLPACK_FLAG_BITMASK_IS_COPIED) != 0) add(owners, "abi.flags.copied-bit");
  if ((differing & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0)
    add(owners, "abi.flags.subbyte-padded-bit");
  owned_by(owners, [&] { expect_equal("flags", expected, found); });
}

void expect_described_shape(const std::vector<std::int64_t>& expected,
                            const std::vector<std::int64_t>& found) {
  Owners owners;
  if (expected != found && std::ranges::is_permutation(expected, found))
    add(owners, "protocol.from.new-array");
  add(owners, "abi.layout.dltensor");
  owned_by(owners, [&] { expect_equal("shape", expected, found); });
}

}  // namespace dlcert::testbench
