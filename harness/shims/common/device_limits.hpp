// SPDX-License-Identifier: Apache-2.0
//
// What the simulated devices say of themselves beyond the driver's properties. Nothing depends on
// these numbers: no kernel runs.

#pragma once

#include <climits>
#include <cstddef>
#include <cstdio>
#include <string>

namespace dlcert::shim {

inline constexpr int multiprocessors = 16;
inline constexpr int threads_per_block = 1024;
inline constexpr int block_depth = 64;  ///< threads along z
inline constexpr int threads_per_multiprocessor = 2048;
inline constexpr int grid_width = INT_MAX;
inline constexpr int grid_height = 65535;  ///< and depth
inline constexpr int registers_per_block = 65536;
inline constexpr int shared_bytes_per_block = 48 * 1024;
inline constexpr int shared_bytes_per_block_optin = 227 * 1024;
inline constexpr int shared_bytes_per_multiprocessor = 228 * 1024;
inline constexpr int reserved_shared_bytes_per_block = 1024;
inline constexpr int registers_per_multiprocessor = 65536;
inline constexpr int blocks_per_multiprocessor = 32;
inline constexpr int constant_bytes = 64 * 1024;
inline constexpr int l2_cache_bytes = 4 * 1024 * 1024;
inline constexpr std::size_t most_pitch = INT_MAX;    ///< bytes from row to row
inline constexpr int linear_texture_width = 1 << 28;  ///< elements

struct PciAddress {
  int domain = 0;
  int bus = 0;
  int device = 0;
};

/// Of "0000:3b:00.0"; zeros for other text.
inline PciAddress parse_pci_address(const std::string& text) {
  unsigned int domain = 0, bus = 0, device = 0;
  if (std::sscanf(text.c_str(), "%x:%x:%x", &domain, &bus, &device) != 3) return {};
  return {static_cast<int>(domain), static_cast<int>(bus), static_cast<int>(device)};
}

}  // namespace dlcert::shim
