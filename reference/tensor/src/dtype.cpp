// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/dtype.hpp"

#include "refuse.hpp"

namespace dlcert::reference {

Dtype Dtype::byte_swapped(DLDataTypeCode code, std::uint8_t bits) {
  const DLDataType type{static_cast<std::uint8_t>(code), bits, 1};
  if (!can_be_swapped(type)) {
    refuse_as(ErrorKind::value, "expected an integer of 16, 32 or 64 bits to swap but found {}",
              to_string(type));
  }
  return Dtype(ElementKind::byte_swapped, type);
}

bool Dtype::can_be_swapped(DLDataType type) noexcept {
  const bool is_integer = type.code == kDLInt || type.code == kDLUInt;
  return is_integer && type.lanes == 1 && (type.bits == 16 || type.bits == 32 || type.bits == 64);
}

Dtype Dtype::record(std::uint16_t bytes) {
  if (bytes == 0) refuse_as(ErrorKind::value, "expected a record of 1 byte or more but found 0");
  return Dtype(ElementKind::record, {kDLOpaqueHandle, 8, bytes});
}

void Dtype::refuse(DLDataType type) {
  refuse_as(ErrorKind::buffer, "expected a data type of DLPack 1.3 but found {}", to_string(type));
}

std::string to_string(DLDataType type) {
  return fmt::format("code {} bits {} lanes {}", type.code, type.bits, type.lanes);
}

std::string to_string(const Dtype& dtype) {
  const DLDataType type = dtype.description();
  switch (dtype.kind()) {
    case ElementKind::described:
      return to_string(type);
    case ElementKind::byte_swapped:
      return fmt::format("a byte-swapped integer of {} bits", type.bits);
    case ElementKind::extended_float:
      return "an extended float of 80 bits";
    case ElementKind::bfloat_complex:
      return "a complex of two bfloat16";
    case ElementKind::record:
      return fmt::format("a record of {} bytes", type.lanes);
  }
  return "an unknown kind of element";
}

}  // namespace dlcert::reference
