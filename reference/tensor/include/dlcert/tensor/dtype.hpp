// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <dlpack/dlpack.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>

namespace dlcert::reference {

/// What a value is made of. Only the first kind has a DLPack description; the others exist in real
/// libraries, can be held and read here, and are refused on export.
enum class ElementKind : std::uint8_t {
  described,       ///< DLPack has a code for it
  byte_swapped,    ///< an integer in the byte order that is not the host's
  extended_float,  ///< the x87 format of 80 bits
  bfloat_complex,  ///< a pair of bfloat16
  record,          ///< a structure of several fields
};

/// How elements narrower than a byte lie in memory: dense, or each in bytes of its own.
enum class Packing : std::uint8_t { packed, padded };

/// The type of one element: `lanes` values of `bits` bits each.
class Dtype {
 public:
  /// The type of a DLPack description. `packing` matters for values narrower than a byte only.
  /// Throws a buffer error when the code is unknown, the bits are not legal for it, or lanes is 0.
  static Dtype described(const DLDataType& type, Packing packing = Packing::packed) {
    if (!is_legal(type)) [[unlikely]]
      refuse(type);
    if (type.bits < 8) [[unlikely]]
      return Dtype(ElementKind::described, type, packing);
    return Dtype(ElementKind::described, type);
  }
  static Dtype described(DLDataTypeCode code, std::uint8_t bits, std::uint16_t lanes = 1,
                         Packing packing = Packing::packed) {
    return described(DLDataType{static_cast<std::uint8_t>(code), bits, lanes}, packing);
  }

  /// A signed or unsigned integer of 16, 32 or 64 bits with its bytes reversed. Throws a value
  /// error for others.
  static Dtype byte_swapped(DLDataTypeCode code, std::uint8_t bits);
  [[nodiscard]] static bool can_be_swapped(DLDataType type) noexcept;
  static Dtype extended_float() noexcept {
    return Dtype(ElementKind::extended_float, {kDLFloat, 80, 1});
  }
  static Dtype bfloat_complex() noexcept {
    return Dtype(ElementKind::bfloat_complex, {kDLComplex, 32, 1});
  }
  /// A structure of `bytes` bytes, at least one.
  static Dtype record(std::uint16_t bytes);

  /// True when DLPack 1.3 defines the code, libraries use these bits with it, and lanes is not 0.
  [[nodiscard]] static constexpr bool is_legal(const DLDataType& type) noexcept;

  [[nodiscard]] ElementKind kind() const noexcept {
    return static_cast<ElementKind>(value_ >> kind_shift & 0xff);
  }
  /// What DLPack says of the type; only for the described kind does that say all.
  [[nodiscard]] DLDataType description() const noexcept {
    return std::bit_cast<DLDataType>(static_cast<std::uint32_t>(value_));
  }

  /// The bits that carry the element's value.
  [[nodiscard]] std::int64_t value_bits() const noexcept {
    return std::int64_t{description().bits} * description().lanes;
  }
  /// The bytes of one element in a logical buffer, where every element starts on a byte.
  [[nodiscard]] std::int64_t logical_bytes() const noexcept { return (value_bits() + 7) / 8; }
  /// The distance in memory between neighbouring elements.
  [[nodiscard]] std::int64_t stored_bits() const noexcept {
    return is_padded() ? 8 * logical_bytes() : value_bits();
  }
  /// True for elements narrower than a byte that have bytes of their own.
  [[nodiscard]] bool is_padded() const noexcept { return (value_ >> packing_shift & 1) != 0; }

  [[nodiscard]] bool operator==(const Dtype& other) const noexcept = default;

 private:
  Dtype(ElementKind kind, const DLDataType& type, Packing packing = Packing::packed) noexcept
      : value_(std::bit_cast<std::uint32_t>(type) | static_cast<std::uint64_t>(kind) << kind_shift |
               static_cast<std::uint64_t>(packing) << packing_shift) {}

  [[noreturn]] static void refuse(DLDataType type);

  static constexpr int kind_shift = 32;
  static constexpr int packing_shift = 40;
  /// The description in the lowest bits, then the other two. One number, since a processor that has
  /// written parts one by one waits before it reads them together, as each copy would.
  std::uint64_t value_;
};

[[nodiscard]] std::string to_string(DLDataType type);
[[nodiscard]] std::string to_string(const Dtype& dtype);

namespace detail {

/// A set of bit widths, one bit for each width that any code allows.
using Widths = std::uint16_t;

/// The member of a set of widths that stands for `bits`, or 0 when no code allows it.
constexpr Widths width(unsigned bits) noexcept {
  if (bits >= 1 && bits <= 8) return static_cast<Widths>(1U << bits);
  if (bits == 16) return 1U << 9;
  if (bits == 32) return 1U << 10;
  if (bits == 64) return 1U << 11;
  if (bits == 128) return 1U << 12;
  return 0;
}

template <class... Bits>
constexpr Widths widths(Bits... bits) noexcept {
  return static_cast<Widths>((... | width(bits)));
}

inline constexpr Widths integer_widths = widths(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 16U, 32U, 64U);

/// By code. Codes that DLPack does not define have none.
inline constexpr std::array<Widths, 256> legal_widths = {
    integer_widths,          // kDLInt
    integer_widths,          // kDLUInt
    widths(16U, 32U, 64U),   // kDLFloat
    widths(64U),             // kDLOpaqueHandle: a pointer
    widths(16U),             // kDLBfloat
    widths(32U, 64U, 128U),  // kDLComplex
    widths(8U),              // kDLBool
    widths(8U),              // kDLFloat8_e3m4
    widths(8U),              // kDLFloat8_e4m3
    widths(8U),              // kDLFloat8_e4m3b11fnuz
    widths(8U),              // kDLFloat8_e4m3fn
    widths(8U),              // kDLFloat8_e4m3fnuz
    widths(8U),              // kDLFloat8_e5m2
    widths(8U),              // kDLFloat8_e5m2fnuz
    widths(8U),              // kDLFloat8_e8m0fnu
    widths(6U),              // kDLFloat6_e2m3fn
    widths(6U),              // kDLFloat6_e3m2fn
    widths(4U),              // kDLFloat4_e2m1fn
};

inline constexpr auto width_of_bits = [] {
  std::array<Widths, 256> table{};
  for (unsigned bits = 0; bits < table.size(); ++bits)
    table[bits] = width(bits);
  return table;
}();

}  // namespace detail

constexpr bool Dtype::is_legal(const DLDataType& type) noexcept {
  return type.lanes != 0 &&
         (detail::legal_widths[type.code] & detail::width_of_bits[type.bits]) != 0;
}

}  // namespace dlcert::reference
