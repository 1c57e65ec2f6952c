// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "simulated/access_history.hpp"

namespace dlcert::driver::simulated {

/// Memory that a node of a graph allocates each time that the graph runs, always at one address. It
/// keeps that address as long as a graph has a node of it, and until what a run allocated is
/// released.
struct GraphMemory {
  std::uintptr_t begin = 0;
  std::uint64_t owner = 0;        ///< the graph that allocates it
  bool owner_releases = false;    ///< by a node of its own
  bool another_releases = false;  ///< by a node of another graph
  bool is_mapped = false;         ///< a run has allocated it, and nothing trimmed it since
  Position released = {};         ///< by the last release in stream order
};

}  // namespace dlcert::driver::simulated
