// SPDX-License-Identifier: Apache-2.0
//
// The tensors that a library claims, from its answers before the first check. Generators draw from
// them where the library does not claim every shape. Found in
// harness/src/worker/claimed_tensors.cpp.
#pragma once

#include <dlcert/adapter.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dlcert {

// How the elements lie, as far as it was asked. Bits of ClaimedTensors::layouts.
enum class ClaimedLayout : std::uint32_t {
  permuted = 1u << 0,
  stepped = 1u << 1,
  padded_rows = 1u << 2,  // each row is followed by a gap
  offset = 1u << 3,       // behind the start of the storage
  reversed = 1u << 4,     // along an axis
  broadcast = 1u << 5,    // along an axis
};

// Tensors of one rank that the library claims, in each memory and of each dtype with the same
// answers.
struct ClaimedTensors {
  std::vector<dlcert_device> devices{{1, 0}};  // at least one
  std::vector<dlcert_dtype> dtypes;            // at least one
  std::uint32_t flags = 0;                     // DLCERT_SPEC_*, of all of them
  std::vector<std::int64_t> shape;             // is claimed, compact
  // By axis, in ascending order: extents that are claimed while the other axes are as in `shape`.
  // Those up to 8 were all asked for, of larger ones a few. Several of them together may be
  // something else than claimed.
  std::vector<std::vector<std::int64_t>> extents;
  std::uint32_t layouts = 0;  // those of `shape` that are claimed beside the compact one

  bool are_on(dlcert_device device) const {
    return std::ranges::any_of(devices, [&](const dlcert_device& one) {
      return one.type == device.type && one.id == device.id;
    });
  }
};

}  // namespace dlcert
