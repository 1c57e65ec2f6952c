// SPDX-License-Identifier: Apache-2.0
//
// Entry points of the runtimes that are several calls of the driver.

#pragma once

#include <cstddef>
#include <cstdint>

#include "shims/common/shim.hpp"

namespace dlcert::shim {

/// Rows of bytes whose starts lie a pitch apart, and where they go.
struct Copy {
  void* to = nullptr;
  std::size_t to_pitch = 0;
  const void* from = nullptr;
  std::size_t from_pitch = 0;
  std::size_t row_bytes = 0;
  std::size_t rows = 1;
  int direction = 0;  ///< a number of cudaMemcpyKind
};

struct Fill {
  void* memory = nullptr;
  std::size_t pitch = 0;
  int value = 0;  ///< its lowest byte
  std::size_t row_bytes = 0;
  std::size_t rows = 1;
};

/// Submits to `stream`.
Status copy_async(SimulatedDriver& driver, const Copy& copy, Stream stream);
Status fill_async(SimulatedDriver& driver, const Fill& fill, Stream stream);

/// In a default stream, blocking as cudaMemcpy and cudaMemset do.
Status copy_now(SimulatedDriver& driver, const Copy& copy, Stream default_stream);
Status fill_now(SimulatedDriver& driver, const Fill& fill, Stream default_stream);

/// As cudaMemcpyPeer: asynchronous, behind all and in front of all work of both devices and of the
/// current one.
Status copy_peer(SimulatedDriver& driver, void* to, int to_device, const void* from,
                 int from_device, std::size_t bytes);

/// Device memory for rows of `row_bytes` bytes; writes their pitch.
Status allocate_rows(SimulatedDriver& driver, std::size_t row_bytes, std::size_t rows, void** out,
                     std::size_t* pitch);

/// Gives back device or managed memory.
Status free_memory(SimulatedDriver& driver, void* memory);

/// The address for devices of pinned or managed memory.
Status device_address(SimulatedDriver& driver, void* host, void** out);

/// Whether the stream is a default stream or one that exists.
Status known_stream(SimulatedDriver& driver, Stream stream);

/// Refuses, and breaks the capture, as what no capture survives does; success when none is active.
Status refuse_captured(SimulatedDriver& driver, Stream stream);

}  // namespace dlcert::shim
