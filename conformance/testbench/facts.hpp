// SPDX-License-Identifier: Apache-2.0
//
// The requirements that are about the facts of a tensor that many checks compare, for owned_by():
// the nearest first. If the first one did not fail, the next may be the owner.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert::testbench {

// Those of the array API standard.
inline constexpr std::array<dlcert_dtype, 13> standard_dtypes{{
    {6, 8, 1},
    {0, 8, 1},
    {0, 16, 1},
    {0, 32, 1},
    {0, 64, 1},
    {1, 8, 1},
    {1, 16, 1},
    {1, 32, 1},
    {1, 64, 1},
    {2, 32, 1},
    {2, 64, 1},
    {5, 64, 1},
    {5, 128, 1},
}};

// Static texts.
using Owners = std::vector<std::string_view>;

// Bytes that changed places are a breach of the layout, whatever they mean.
Owners owners_of_dtype(dlcert_dtype expected, dlcert_dtype found);
Owners owners_of_device(dlcert_device expected, dlcert_device found);
Owners owners_of_version(DLPackVersion found);
// The address of the first element is wrong.
Owners owners_of_address();

// Elements have wrong values.
Owners owners_of_elements(dlcert_dtype dtype, const Bytes& expected, const Bytes& found);

// A descriptor that names another device than expected.
void expect_named_device(std::string_view what, dlcert_device expected, dlcert_device found);

// The flags of two exports of one tensor.
void expect_same_flags(std::uint64_t expected, std::uint64_t found);

// A library describes a tensor that it imported.
void expect_described_dtype(dlcert_dtype expected, dlcert_dtype found);
void expect_described_device(dlcert_device expected, dlcert_device found);
void expect_imported_device_type(std::int32_t expected, std::int32_t found);
void expect_described_shape(const std::vector<std::int64_t>& expected,
                            const std::vector<std::int64_t>& found);

}  // namespace dlcert::testbench
