// SPDX-License-Identifier: Apache-2.0
//
// Ranges of managed memory, and what programs said of them.

#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "shims/common/advice.hpp"
#include "shims/common/shim.hpp"

namespace dlcert::shim {

/// Bytes that a program names.
struct NamedRange {
  const void* begin = nullptr;
  std::size_t bytes = 0;
};

/// Success when all of it is of one managed memory; invalid_value otherwise.
Status check_managed(SimulatedDriver& driver, const NamedRange& range, driver::MemoryRange& out);

/// Success when the location is one of this machine, which has one host node: number 0.
/// `cudaMemLocationTypeHostNumaCurrent` becomes that node.
Status check_location(SimulatedDriver& driver, const cudaMemLocation& location, Location& out);

/// Of the numbers that calls without a location name: devices, and cudaCpuDeviceId.
cudaMemLocation location_of(int device);

/// An operation of the stream, which touches nothing: the memory is where it was.
Status prefetch(SimulatedDriver& driver, const NamedRange& range, const cudaMemLocation& location,
                Stream stream);

/// Changes who may use it when, which nothing here depends on.
Status attach(SimulatedDriver& driver, const NamedRange& range, unsigned int flags, Stream stream);

}  // namespace dlcert::shim
