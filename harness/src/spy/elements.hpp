// SPDX-License-Identifier: Apache-2.0
//
// Elements of a strided layout in memory, whole-byte or narrower, packed or padded.
#pragma once

#include <span>

#include <dlcert/suite/spec.hpp>

namespace dlcert {

// Bits between neighbouring elements in memory: packed sub-byte types lie densely, all others start
// on bytes.
std::int64_t stored_bits(dlcert_dtype dtype, bool padded);

// How elements lie, relative to the address of logical element (0, ..., 0).
struct ElementLayout {
  dlcert_dtype dtype;
  bool padded = false;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;
  std::int64_t stride_bits = 0;  // of one unit of the strides

  static ElementLayout of(const TensorSpec& spec);
  static ElementLayout of_elements(dlcert_dtype dtype, bool padded,
                                   std::span<const std::int64_t> shape,
                                   std::span<const std::int64_t> strides);
};

std::size_t logical_size(const ElementLayout& layout);
// `first_bit` counts from `base`. `logical` holds logical_size() bytes.
void gather(const ElementLayout& layout, const std::byte* base, std::int64_t first_bit,
            std::byte* logical);
void scatter(const ElementLayout& layout, std::byte* base, std::int64_t first_bit,
             const std::byte* logical);

}  // namespace dlcert
