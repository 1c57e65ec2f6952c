// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/dtype.hpp"

#include "dlcert/tensor/errors.hpp"

namespace dlcert::reference {

Dtype Dtype::byte_swapped(DLDataTypeCode code, std::uint8_t bits) {
  const DLDataType type{static_cast<std::uint8_t>(code), bits, 1};
  const bool is_integer = code == kDLInt || code == kDLUInt;
  if (!is_integer || (bits != 16 && bits != 32 && bits != 64)) {
    throw Error(ErrorKind::value,
                "expected an integer of 16, 32 or 64 bits to swap but found " + to_string(type));
  }
  return Dtype(ElementKind::byte_swapped, type);
}

Dtype Dtype::record(std::uint16_t bytes) {
  if (bytes == 0) throw Error(ErrorKind::value, "expected a record of 1 byte or more but found 0");
  return Dtype(ElementKind::record, {kDLOpaqueHandle, 8, bytes});
}

void Dtype::refuse(DLDataType type) {
  throw Error(ErrorKind::buffer, "expected a data type of DLPack 1.3 but found " + to_string(type));
}

std::string to_string(DLDataType type) {
  return "code " + std::to_string(type.code) + " bits " + std::to_string(type.bits) + " lanes " +
         std::to_string(type.lanes);
}

std::string to_string(const Dtype& dtype) {
  const DLDataType type = dtype.description();
  switch (dtype.kind()) {
    case ElementKind::described:
      return to_string(type);
    case ElementKind::byte_swapped:
      return "a byte-swapped integer of " + std::to_string(type.bits) + " bits";
    case ElementKind::extended_float:
      return "an extended float of 80 bits";
    case ElementKind::bfloat_complex:
      return "a complex of two bfloat16";
    case ElementKind::record:
      return "a record of " + std::to_string(type.lanes) + " bytes";
  }
  return "an unknown kind of element";
}

}  // namespace dlcert::reference
