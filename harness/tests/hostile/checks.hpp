// SPDX-License-Identifier: Apache-2.0
//
// What the checks of the hostile suites are made of: vectors, one dtype for each check.
#pragma once

#include <string_view>

#include <dlcert/suite/check.hpp>

namespace dlcert::hostile {

inline constexpr dlcert_dtype int8{0, 8, 1};
inline constexpr dlcert_dtype int16{0, 16, 1};
inline constexpr dlcert_dtype int32{0, 32, 1};
inline constexpr dlcert_dtype float32{2, 32, 1};
inline constexpr dlcert_dtype float64{2, 64, 1};

// A vector of up to nine elements.
TensorSpec draw_vector(Case& c, dlcert_dtype dtype);
Bytes logical_bytes(const TensorSpec& spec);
void require_claimed(const Party& party, const TensorSpec& spec);

// Expects the library to describe what was asked for.
void make_and_describe(Case& c, dlcert_dtype dtype);

// What needs no more of the producer than to make and to describe.
Check check(std::string_view requirement, std::string_view sentence, void (*body)(Case&));

}  // namespace dlcert::hostile
