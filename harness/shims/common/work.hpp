// SPDX-License-Identifier: Apache-2.0
//
// Entry points of the runtimes that are several calls of the driver.

#pragma once

#include <cstddef>
#include <cstdint>

#include "shims/common/shim.hpp"

namespace dlcert::shim {

/// Slices of rows of bytes, the starts of both a pitch apart, and where they go.
struct Copy {
  void* to = nullptr;
  std::size_t to_pitch = 0;
  const void* from = nullptr;
  std::size_t from_pitch = 0;
  std::size_t row_bytes = 0;
  std::size_t rows = 1;
  int direction = 0;  ///< a number of cudaMemcpyKind
  std::size_t slices = 1;
  std::size_t to_slice_pitch = 0;
  std::size_t from_slice_pitch = 0;
  driver::SourceOrder order = driver::SourceOrder::stream;
};

struct Fill {
  void* memory = nullptr;
  std::size_t pitch = 0;
  int value = 0;  ///< its lowest byte
  std::size_t row_bytes = 0;
  std::size_t rows = 1;
  std::size_t slices = 1;
  std::size_t slice_pitch = 0;
};

/// Submits to `stream`.
Status copy_async(SimulatedDriver& driver, const Copy& copy, Stream stream);
Status fill_async(SimulatedDriver& driver, const Fill& fill, Stream stream);

/// In a default stream, blocking as cudaMemcpy and cudaMemset do.
Status copy_now(SimulatedDriver& driver, const Copy& copy, Stream default_stream);
Status fill_now(SimulatedDriver& driver, const Fill& fill, Stream default_stream);

/// Of memory of both devices. `copy_peer` is as cudaMemcpyPeer: asynchronous, behind all
/// and in front of all work of both devices and of the current one.
Status copy_peer(SimulatedDriver& driver, int to_device, int from_device, const Copy& copy);
Status copy_peer_async(SimulatedDriver& driver, int to_device, int from_device, const Copy& copy,
                       Stream stream);

/// Device memory for rows of `row_bytes` bytes; writes their pitch.
Status allocate_rows(SimulatedDriver& driver, std::size_t row_bytes, std::size_t rows, void** out,
                     std::size_t* pitch);

/// Gives back device or managed memory.
Status free_memory(SimulatedDriver& driver, void* memory);

/// The address for devices of pinned or managed memory.
Status device_address(SimulatedDriver& driver, void* host, void** out);

/// Refuses what no graph can hold, and the capture goes on; success when none is active.
Status refuse_in_capture(SimulatedDriver& driver, Stream stream);

/// Refuses, and breaks the capture, as what no capture survives does; success when none is active.
Status refuse_captured(SimulatedDriver& driver, Stream stream);

}  // namespace dlcert::shim
