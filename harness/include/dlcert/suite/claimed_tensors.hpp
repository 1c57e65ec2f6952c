// SPDX-License-Identifier: Apache-2.0
//
// The tensors that a library claims. dlcert asks can() before the first check; generators draw from
// the answers if the library does not claim every shape. harness/src/worker/claimed_tensors.cpp
// finds them.
#pragma once

#include <dlcert/adapter.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dlcert {

// Layouts other than the compact one for which dlcert asks. Bits of ClaimedTensors::layouts.
enum class ClaimedLayout : std::uint32_t {
  permuted = 1u << 0,
  stepped = 1u << 1,
  padded_rows = 1u << 2,  // a gap follows each row
  offset = 1u << 3,       // elements start after the start of the storage
  reversed = 1u << 4,     // along an axis
  broadcast = 1u << 5,    // along an axis
};

// Claimed tensors of one rank. All devices and dtypes listed here have the same shape, extents and
// layouts.
struct ClaimedTensors {
  std::vector<dlcert_device> devices{{1, 0}};  // at least one
  std::vector<dlcert_dtype> dtypes;            // at least one
  std::uint32_t flags = 0;                     // DLCERT_SPEC_*, the same for all of them
  std::vector<std::int64_t> shape;             // claimed in the compact layout
  // By axis, in ascending order: the extents that are claimed while the other axes are as in
  // `shape`. dlcert asks for every extent up to 8 and for a few larger ones. A shape that combines
  // several of these extents need not be claimed.
  std::vector<std::vector<std::int64_t>> extents;
  std::uint32_t layouts = 0;  // bits of ClaimedLayout: further layouts of `shape` that are claimed

  // Returns whether the device is among `devices`.
  bool are_on(dlcert_device device) const {
    return std::ranges::any_of(devices, [&](const dlcert_device& one) {
      return one.type == device.type && one.id == device.id;
    });
  }
};

}  // namespace dlcert
