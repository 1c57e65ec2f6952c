// SPDX-License-Identifier: Apache-2.0
//
// A GPU runtime as dlcert needs it: what cuda_runtime_api.h and hip_runtime_api.h have in common.
// Three things implement it: the simulated driver, CUDA and HIP.
//
// Every function may be called from any thread. The current device belongs to the calling thread
// and is 0 at first. Outputs are written on Status::success only. Which calls wait for work, and
// which errors they give, is the vendor's rule; what was launched earlier may make any call answer
// with its error.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dlcert/driver/export.hpp"
#include "dlcert/driver/status.hpp"

namespace dlcert::driver {

/// A native stream: the numeric value of a cudaStream_t or hipStream_t. 0 is the legacy default
/// stream of the current device.
enum class Stream : std::uintptr_t { null = 0, legacy = 1, per_thread = 2 };

/// Native events, graphs and executable graphs. Never 0.
enum class Event : std::uintptr_t {};
enum class Graph : std::uintptr_t {};
enum class GraphExec : std::uintptr_t {};

enum class MemoryKind : std::uint8_t {
  pageable,  ///< host memory that the driver has not been told of
  device,
  pinned,   ///< host memory that the driver allocated or that was registered
  managed,  ///< one address on the host and on every device
};

enum class CopyDirection : std::uint8_t {
  host_to_host = 0,
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 3,
  inferred = 4,  ///< from the two addresses
};

/// Of a stream: whether the legacy default stream and this one wait for each other.
enum class StreamKind : std::uint8_t { blocking = 0, non_blocking = 1 };

enum class EventTiming : std::uint8_t { enabled, disabled };

enum class CaptureMode : std::uint8_t { global = 0, thread_local_only = 1, relaxed = 2 };
enum class CaptureStatus : std::uint8_t { none = 0, active = 1, invalidated = 2 };

struct DeviceProperties {
  std::string name;
  std::array<std::uint8_t, 16> uuid{};
  std::string pci_bus_id;          ///< "0000:3b:00.0"
  std::uint64_t total_memory = 0;  ///< bytes
  int major = 0;                   ///< compute capability; on ROCm that of the gfx number
  int minor = 0;
};

struct PointerAttributes {
  MemoryKind kind = MemoryKind::pageable;
  int device = -1;  ///< the device that the memory belongs to; -1 for pageable memory
  void* device_pointer = nullptr;  ///< the address for devices, or NULL
  void* host_pointer = nullptr;    ///< the address for the host, or NULL
};

/// Runs in stream order, on a thread of the driver. Must not call the driver.
using HostFunction = void (*)(void* data);

class DLCERT_DRIVER_EXPORT Driver {
 public:
  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver();

  /// "simulated", "cuda" or "hip".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual Vendor vendor() const noexcept = 0;
  /// The runtime's version as the vendor numbers it: 13000 for CUDA 13.0.
  [[nodiscard]] virtual int version() const noexcept = 0;
  /// The newest runtime that the machine's driver supports, numbered likewise; 0 without a driver.
  /// Known of a driver that is too old for the runtime, too.
  [[nodiscard]] virtual int driver_version() const noexcept = 0;

  // ---- devices ----

  virtual Status device_count(int& count) = 0;
  virtual Status properties(int device, DeviceProperties& out) = 0;
  virtual Status current_device(int& device) = 0;
  /// Does not synchronise.
  virtual Status set_device(int device) = 0;
  virtual Status synchronize_device() = 0;
  /// Whether the device's primary context is in use in this process. Makes none.
  virtual Status has_context(int device, bool& has) = 0;
  virtual Status can_access_peer(int device, int peer, bool& can) = 0;
  /// From the current device to `peer`'s memory.
  virtual Status enable_peer_access(int peer) = 0;
  virtual Status disable_peer_access(int peer) = 0;

  // ---- memory ----

  /// `bytes` bytes of memory of a kind other than pageable, on or for the current device. 0 bytes
  /// give NULL. The caller gives it back by `release`.
  virtual Status allocate(MemoryKind kind, std::size_t bytes, void*& out) = 0;
  /// Gives back what `allocate` or `allocate_async` returned. NULL is allowed.
  virtual Status release(MemoryKind kind, void* memory) = 0;
  /// Device memory that later work on `stream` may use at once.
  virtual Status allocate_async(std::size_t bytes, Stream stream, void*& out) = 0;
  /// Earlier work on `stream` may still use it.
  virtual Status release_async(void* memory, Stream stream) = 0;
  /// Makes host memory of the caller pinned. The caller keeps owning it.
  virtual Status register_host(void* memory, std::size_t bytes) = 0;
  virtual Status unregister_host(void* memory) = 0;
  virtual Status attributes(const void* memory, PointerAttributes& out) = 0;

  // ---- work ----

  /// In the legacy default stream. When it returns, follows the vendor's table (pageable, pinned,
  /// device).
  virtual Status copy(void* to, const void* from, std::size_t bytes, CopyDirection direction) = 0;
  virtual Status copy_async(void* to, const void* from, std::size_t bytes, CopyDirection direction,
                            Stream stream) = 0;
  /// `rows` rows of `row_bytes` bytes each, whose starts lie a pitch apart.
  virtual Status copy_2d_async(void* to, std::size_t to_pitch, const void* from,
                               std::size_t from_pitch, std::size_t row_bytes, std::size_t rows,
                               CopyDirection direction, Stream stream) = 0;
  virtual Status copy_peer_async(void* to, int to_device, const void* from, int from_device,
                                 std::size_t bytes, Stream stream) = 0;
  virtual Status fill(void* memory, std::uint8_t value, std::size_t bytes) = 0;
  virtual Status fill_async(void* memory, std::uint8_t value, std::size_t bytes, Stream stream) = 0;
  virtual Status launch_host_function(Stream stream, HostFunction function, void* data) = 0;

  // ---- streams ----

  /// A stream of the current device. Lower numbers are higher priorities. The caller destroys it.
  virtual Status create_stream(StreamKind kind, int priority, Stream& out) = 0;
  /// Returns at once; pending work still runs.
  virtual Status destroy_stream(Stream stream) = 0;
  virtual Status query_stream(Stream stream) = 0;
  virtual Status synchronize_stream(Stream stream) = 0;
  virtual Status stream_kind(Stream stream, StreamKind& out) = 0;
  /// Unique in the process.
  virtual Status stream_id(Stream stream, std::uint64_t& out) = 0;
  virtual Status wait_event(Stream stream, Event event) = 0;

  // ---- events ----

  virtual Status create_event(EventTiming timing, Event& out) = 0;
  virtual Status destroy_event(Event event) = 0;
  virtual Status record_event(Event event, Stream stream) = 0;
  virtual Status query_event(Event event) = 0;
  virtual Status synchronize_event(Event event) = 0;
  virtual Status elapsed_milliseconds(Event start, Event end, float& out) = 0;

  // ---- capture ----

  virtual Status begin_capture(Stream stream, CaptureMode mode) = 0;
  /// The caller destroys the graph.
  virtual Status end_capture(Stream stream, Graph& out) = 0;
  virtual Status capture_status(Stream stream, CaptureStatus& out) = 0;
  /// For the calling thread; gives the mode that was set before.
  virtual Status exchange_capture_mode(CaptureMode& mode) = 0;
  virtual Status instantiate(Graph graph, GraphExec& out) = 0;
  virtual Status launch_graph(GraphExec graph, Stream stream) = 0;
  virtual Status destroy_graph(Graph graph) = 0;
  virtual Status destroy_graph_exec(GraphExec graph) = 0;

  // ---- errors ----

  /// The last error of the calling thread. `take_error` forgets it unless it is sticky.
  virtual Status take_error() = 0;
  virtual Status peek_error() = 0;
};

}  // namespace dlcert::driver
