// SPDX-License-Identifier: Apache-2.0
//
// Small programs of a CUDA host, for the proof of the simulated driver's order: what the
// interpreter of the documents and the simulated driver are both given.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dlcert::driver::order {

enum class StreamRole : std::uint8_t { legacy, blocking, non_blocking, per_thread };

struct StreamRule {
  StreamRole role = StreamRole::legacy;
  int device = 0;
  int owner = 0;  ///< of a per-thread default stream: its thread
};

/// What memory a cell is. A pool cell exists from its allocate to its release.
enum class CellKind : std::uint8_t { managed, device, pinned, pageable, pool };

/// The world that programs of one family share.
struct Setting {
  std::vector<StreamRule> streams;
  std::vector<CellKind> cells;
  std::vector<int> event_devices;
  int threads = 1;
  bool threads_apart = false;  ///< else what one thread has waited for all know
  int graphs = 0;
  bool capture_questions = false;  ///< events may be asked for while a stream is captured
  bool host_releases = false;      ///< pool cells may be released by the host
  bool graph_memory = false;       ///< … or allocated and released by a graph
};

enum class Verb : std::uint8_t {
  fill,    // a cell on a stream
  copy,    // a cell to another on a stream
  read,    // a cell by a kernel on a stream
  record,  // an event on a stream
  wait,    // a stream for an event
  synchronize_stream,
  synchronize_event,
  synchronize_device,
  query_stream,
  query_event,
  host_read,          // a cell
  host_write,         // a cell
  fill_all,           // cells, of one allocation, on a stream
  renew_stream,       // destroys a stream that may have work, and creates one of its kind
  blocking_fill,      // a cell
  blocking_copy,      // a cell to another
  allocate,           // a pool cell on a stream
  release_on_stream,  // a pool cell
  release,            // a pool cell, by the call that gives back any memory
  begin_capture,      // on a stream, of a graph
  end_capture,        // on a stream, of a graph
  launch_graph,       // a graph on a stream
};

struct Call {
  Verb verb{};
  std::uint8_t stream = 0;
  std::uint8_t event = 0;
  std::uint8_t cell = 0;
  std::uint8_t to = 0;  ///< the cell that a copy writes
  std::uint8_t graph = 0;
  std::uint8_t device = 0;  ///< to synchronise
  std::uint8_t thread = 0;
  bool answered = false;  ///< of a query: it said that all has run
};

/// One line for each call.
std::string to_text(const Setting& setting, std::span<const Call> program);

}  // namespace dlcert::driver::order
