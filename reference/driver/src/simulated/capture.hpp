// SPDX-License-Identifier: Apache-2.0
//
// Work that was captured rather than run: a graph of operations, and the streams that take part in
// recording it.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "dlcert/driver/simulated.hpp"

#include "simulated/engine.hpp"
#include "simulated/graph_memory.hpp"
#include "simulated/user_object.hpp"

namespace dlcert::driver::simulated {

struct NamedAccess {
  std::string_view name;  ///< static storage
  SimulatedDriver::Access access;
};

/// What a task means for the memory that its first access touches: the work that is submitted from
/// then on may use it, or may not.
enum class Life : std::uint8_t { stays, begins, ends };

/// What one call asked a stream to do.
struct Task {
  std::string_view name;             ///< of the function, or of the kernel; static storage
  bool is_work = true;               ///< false for what only orders
  NodeKind kind = NodeKind::kernel;  ///< of the node that a capture makes of it
  Event event{};                     ///< of a node that records it or waits for it
  bool is_opaque = false;            ///< touches what the scopes of its thread name
  Life life = Life::stays;
  std::uint64_t place = 0;  ///< of the call, if somebody watches races
  Work work = {};
  std::vector<NamedAccess> accesses = {};
};

/// Nodes are in the order of their capture, so that each only waits for earlier ones.
struct CapturedGraph {
  struct Node {
    Task task;
    std::size_t branch;              ///< those of one are ordered; 0 is the first of the origin
    std::vector<std::size_t> after;  ///< of any branch
  };
  std::uint64_t id = 0;  ///< of its capture
  std::vector<Node> nodes;
  std::vector<std::shared_ptr<GraphMemory>> memory = {};  ///< that its nodes allocate or release
  std::vector<UserReferences> objects = {};
  bool is_capturing = true;
  bool has_executable = false;  ///< that was not destroyed
  std::size_t branches = 1;
  int device = 0;
};

/// A capture under way. Shared by its streams, and by events that were recorded in it.
struct Capture {
  CaptureMode mode{};
  std::uint32_t origin = 0;  ///< the timeline of the stream that began it
  std::thread::id thread;
  std::shared_ptr<CapturedGraph> graph = std::make_shared<CapturedGraph>();
  Graph handle{};
  std::vector<std::size_t> let_go = {};  ///< nodes that need not be joined
  bool invalidated = false;
  bool ended = false;
};

/// The answer to what a capture does not survive: `status`, or that it is broken already.
inline Status break_capture(Capture& capture, Status status) {
  if (capture.invalidated) return Status::capture_invalidated;
  capture.invalidated = true;
  return status;
}

/// How a stream takes part in a capture.
struct CaptureBranch {
  std::shared_ptr<Capture> capture;
  std::size_t branch = 0;
  std::vector<std::size_t> tail = {};  ///< the nodes that its next one comes after
};

}  // namespace dlcert::driver::simulated
