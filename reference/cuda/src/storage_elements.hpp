// SPDX-License-Identifier: Apache-2.0
//
// The elements of the twelve storage types, and their conversion.

#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace dlcert::cuda {

/// IEEE 754 binary16, as its bits.
struct Half {
  std::uint16_t bits = 0;
};

/// The upper half of a float's bits.
struct BFloat16 {
  std::uint16_t bits = 0;
};

[[nodiscard]] float to_float(Half value);
[[nodiscard]] float to_float(BFloat16 value);
/// To the nearest value, to the even one of two; what is too large becomes infinite.
void from_float(float value, Half& result);
void from_float(float value, BFloat16& result);

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;
template <class T>
inline constexpr bool is_short_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// The nearest value of `To`. A complex number becomes real by its real part, and true if either
/// part is not 0. A real number that an integer type cannot hold becomes its least or largest value
/// (C++ leaves that undefined); NaN becomes the least one.
template <class To, class From>
To convert_element(From value) {
  if constexpr (is_short_float<From>) {
    return convert_element<To>(to_float(value));
  } else if constexpr (is_complex<To>) {
    using Part = typename To::value_type;
    if constexpr (is_complex<From>)
      return {convert_element<Part>(value.real()), convert_element<Part>(value.imag())};
    else
      return {convert_element<Part>(value), Part{0}};
  } else if constexpr (is_complex<From>) {
    if constexpr (std::is_same_v<To, bool>) return value != From{};
    return convert_element<To>(value.real());
  } else if constexpr (is_short_float<To>) {
    To result;
    from_float(static_cast<float>(value), result);
    return result;
  } else {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> &&
                  !std::is_same_v<To, bool>) {
      constexpr auto least = static_cast<long double>(std::numeric_limits<To>::min());
      constexpr auto most = static_cast<long double>(std::numeric_limits<To>::max());
      const auto exact = static_cast<long double>(value);
      if (!(exact >= least)) return std::numeric_limits<To>::min();
      if (exact > most) return std::numeric_limits<To>::max();
    }
    return static_cast<To>(value);
  }
}

}  // namespace dlcert::cuda
