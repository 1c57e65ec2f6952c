// SPDX-License-Identifier: Apache-2.0
//
// A driver without hardware: devices of either vendor, memory that the host cannot touch, streams
// whose work runs as early or as late as the rules allow, and a report of the accesses that nothing
// orders.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dlcert/driver/driver.hpp"

namespace dlcert::driver {

/// When submitted work runs. A correct program cannot tell them apart by its data.
enum class Schedule : std::uint8_t {
  eager,  ///< as soon as everything before it has run
  late,  ///< when something waits for it, or memory is released; host functions when the host rests
  seeded,  ///< at moments and in an order that the seed decides
};

/// "eager", "late" or "seeded".
[[nodiscard]] DLCERT_DRIVER_EXPORT std::string_view to_text(Schedule schedule) noexcept;

/// What a device says of itself.
struct SimulatedDevice {
  std::string name = {};  ///< when empty, "Simulated NVIDIA device" or "Simulated AMD device"
  int major = 9;          ///< compute capability
  int minor = 0;

  friend bool operator==(const SimulatedDevice&, const SimulatedDevice&) = default;
};

struct SimulatedOptions {
  Vendor vendor = Vendor::cuda;
  int devices = 1;                                            ///< 0 to 64
  std::uint64_t memory_per_device = std::uint64_t{16} << 30;  ///< bytes
  Schedule schedule = Schedule::late;
  std::uint64_t seed = 1;
  std::vector<SimulatedDevice> models = {};  ///< of devices 0, 1, …; others have the defaults
  /// When not success, the answer of every call that needs the runtime: 35 without a (new enough)
  /// driver, 100 without a device, 3 or 999 when it cannot start.
  Status start_error = Status::success;
  int version = 0;  ///< as the vendor numbers it; 0 is the vendor's default
  /// As version; 0 is the same, or no driver where `start_error` is insufficient_driver.
  int driver_version = 0;
  /// As with a real driver, every call answers not_initialized in a child that is forked after the
  /// first call, until it restarts the world.
  bool ends_at_fork = false;
  /// (device, peer) for which can_access_peer says no; a device never is its own peer.
  std::vector<std::pair<int, int>> without_peer_access = {};

  friend bool operator==(const SimulatedOptions&, const SimulatedOptions&) = default;
};

/// Bytes of memory: runs of `run` bytes that repeat along axes. `begin` is the lowest address.
struct StridedBytes {
  struct Axis {
    std::size_t extent = 1;  ///< at least 1
    std::size_t stride = 0;  ///< bytes to the next one
  };

  std::uintptr_t begin = 0;
  std::size_t run = 0;
  std::vector<Axis> axes = {};
};

enum class AccessKind : std::uint8_t { read, write };

/// Slices of rows of bytes, and how far apart the starts of both lie in memory.
struct Box {
  std::size_t row_bytes = 0;
  std::size_t rows = 1;
  std::size_t slices = 1;
};
struct Pitches {
  std::size_t row = 0;
  std::size_t slice = 0;
};

/// When a copy reads its source: in the order of its stream, or within the call, whatever the
/// stream still has to do.
enum class SourceOrder : std::uint8_t { stream, during_call };

/// What a stream was created with. Default streams have priority 0, on the current device.
struct StreamDetails {
  int device = 0;
  int priority = 0;
};

/// Priorities of streams, lower numbers first; others count as the next of these.
struct PriorityRange {
  int greatest = 0;
  int least = 0;
};
[[nodiscard]] constexpr PriorityRange stream_priorities(Vendor vendor) noexcept {
  return vendor == Vendor::cuda ? PriorityRange{-5, 0} : PriorityRange{-1, 1};
}

/// Memory that the driver knows.
struct MemoryRange {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::uint64_t id = 0;  ///< never that of another memory of the same world
};

/// Two accesses of the same bytes, at least one of them a write, that nothing orders.
struct Race {
  std::string first;         ///< "write by fill_async #12 on stream 0x7d10 of device 0"
  std::string second;        ///< the one that was submitted later
  std::uintptr_t begin = 0;  ///< the common bytes lie within [begin, end)
  std::uintptr_t end = 0;
  std::string missing;  ///< "no event, wait or synchronisation leads from the first to the second"
  /// Of the two calls, as a RaceWatcher numbered them; 0: nobody did.
  std::uint64_t first_place = 0;
  std::uint64_t second_place = 0;

  /// All of it in one line.
  [[nodiscard]] DLCERT_DRIVER_EXPORT std::string text() const;
};

/// Who is told of races when they are found, and knows where in its program a call is. Called on
/// any thread, several at a time, while the driver holds no lock.
class RaceWatcher {
 public:
  /// A number for where the calling thread is in the program, never 0: asked in front of each call
  /// that makes work which touches memory.
  virtual std::uint64_t place() = 0;
  /// Called once for each two places. It must not call the driver.
  virtual void found(const Race& race) = 0;
  /// A launch without accesses was submitted.
  virtual void launched() = 0;

 protected:
  ~RaceWatcher() = default;
};

/// One recorded call of the driver.
struct Call {
  std::string_view function;  ///< as the Driver names it: "record_event"
  Stream stream = Stream::null;
  Event event{};
  int device = 0;       ///< current device of the caller
  bool waited = false;  ///< the host was blocked until work had run
  Status status = Status::success;
  std::uintptr_t written = 0;  ///< the lowest address that its work writes to, as far as is known
};

/// How much has been made and not ended, on all devices.
struct Living {
  std::size_t allocations = 0;  ///< of memory of any kind
  std::size_t streams = 0;
  std::size_t events = 0;
};

/// A memory pool of a device, which allocate_async takes from: a native cudaMemPool_t. Never 0.
enum class Pool : std::uintptr_t {};

/// In the vendors' numbers. The first three, by which real drivers use released memory again, are
/// kept and change nothing.
enum class PoolAttribute : int {
  reuse_follow_events = 1,
  reuse_opportunistic = 2,
  reuse_internal = 3,
  release_threshold = 4,
  reserved = 5,
  reserved_high = 6,
  used = 7,
  used_high = 8,
};

/// What a device may do with the memory of a pool, or with memory that is mapped.
enum class PoolAccess : std::uint8_t { none = 0, read = 1, read_write = 3 };

/// Memory without an address, which a program maps: a native CUmemGenericAllocationHandle. Never 0.
enum class MemoryHandle : std::uint64_t {};

struct PhysicalMemoryDetails {
  int device = 0;
  std::size_t bytes = 0;
  unsigned int handle_types = 0;  ///< as the program asked for them
};

/// What sizes and places of mapped memory are multiples of.
inline constexpr std::size_t mapping_granularity = std::size_t{2} << 20;

/// A node of a graph: a native cudaGraphNode_t. Never 0.
enum class GraphNode : std::uintptr_t {};

/// cudaGraphInstantiateFlagAutoFreeOnLaunch: each launch first releases what the one before
/// allocated and nothing has released. The other flags change nothing.
inline constexpr std::uint64_t release_on_launch = 1;

/// In the vendors' numbers.
enum class NodeKind : int {
  kernel = 0,
  copy = 1,
  fill = 2,
  host_function = 3,
  wait_event = 6,
  record_event = 7,
  allocation = 10,
  release = 11,
};

struct NodeInfo {
  GraphNode node{};
  NodeKind kind{};
  std::string_view name;                     ///< of the kernel or of the call; static storage
  std::vector<GraphNode> dependencies = {};  ///< nodes that it comes directly after
  std::vector<GraphNode> dependents = {};
};

/// Of a stream; but for the status, only while a capture is active.
struct CaptureInfo {
  CaptureStatus status{};
  std::uint64_t id = 0;                      ///< of the capture, never given twice
  Graph graph{};                             ///< as end_capture will give it
  std::vector<GraphNode> dependencies = {};  ///< of the next node of the stream
};

/// What a program lets graphs keep alive: a native cudaUserObject_t. Never 0.
enum class UserObject : std::uintptr_t {};

/// A context of CUDA's driver API: a native CUcontext. 0 stands for none.
enum class Context : std::uintptr_t { none = 0 };

struct ContextDetails {
  int device = 0;
  bool primary = false;
  unsigned int flags = 0;  ///< as the program set them
  std::uint64_t id = 0;    ///< never that of another context of the same world
};

/// The simulated driver of the process. What it adds to Driver may be called from any thread too.
class DLCERT_DRIVER_EXPORT SimulatedDriver : public Driver {
 public:
  /// Ends all that exists, as if the process had just started: every handle and address of before
  /// is invalid. No other thread may be inside the driver. In a forked child, memory is no longer
  /// shared with the parent from then on. Throws std::invalid_argument, one line, for options out
  /// of range.
  virtual void restart(const SimulatedOptions& options) = 0;
  [[nodiscard]] virtual const SimulatedOptions& options() const noexcept = 0;
  /// What runs from now on runs under this schedule. Everything else stays as it is.
  virtual void set_schedule(Schedule schedule, std::uint64_t seed) = 0;

  /// From now on a handle or an address of a device that has ended is the next one to be given, the
  /// last first, as real drivers may do: of those that end from now on. A restart ends this.
  virtual void set_recurring(bool recurring) = 0;

  /// From now on each host thread, and what it submits, knows of no work but what was known before
  /// or the thread has waited for itself. Else what one thread has waited for all know: mutexes may
  /// order the threads of a library, which cannot be seen here. So this is for threads that nothing
  /// orders. When it ends, what any of them knew all do; a restart ends it too. No other thread may
  /// be inside the driver.
  virtual void set_threads_apart(bool apart) = 0;

  /// As `copy` does with one run of bytes, of a box and in any stream: blocks as the vendor's table
  /// says.
  virtual Status copy_box(void* to, Pitches to_pitches, const void* from, Pitches from_pitches,
                          const Box& box, CopyDirection direction, Stream stream) = 0;

  // ---- work that only dlcert submits ----

  /// An operation that is ordered like a kernel and touches nothing but `accesses`. A kernel that a
  /// library launches has no accesses, and is never half of a race. A mangled name is demangled
  /// when it is shown.
  struct Access {
    AccessKind kind = AccessKind::read;
    StridedBytes bytes;
  };
  virtual Status launch(std::string_view name, Stream stream, std::span<const Access> accesses) = 0;
  /// How many launches there were without accesses. No kernel runs here: what those would have
  /// written is in no memory, and may be in any.
  [[nodiscard]] virtual std::uint64_t opaque_launches() = 0;

  /// Orders all that was submitted to the device so far before all that will be, in streams of any
  /// kind. The host learns nothing.
  virtual Status fence(int device) = 0;

  /// The host reads or writes these bytes now.
  virtual void host_access(std::string_view name, const Access& access) = 0;

  /// From now on each launch without accesses that the calling thread submits to a stream counts as
  /// `access` there, until `end_scope`: what copies and fills touch is known. So does the host at
  /// that moment if `host` is set, as it is for calls that return when their work is done.
  virtual void begin_scope(std::string_view name, const Access& access) = 0;
  virtual void end_scope(bool host) = 0;

  // ---- memory of pools and graphs ----

  /// Bytes of the current device.
  virtual Status memory_info(std::uint64_t& free, std::uint64_t& total) = 0;

  /// The pool that a device has from the start, and the one that allocate_async takes from.
  virtual Status default_pool(int device, Pool& out) = 0;
  virtual Status current_pool(int device, Pool& out) = 0;
  virtual Status set_current_pool(int device, Pool pool) = 0;
  /// Of at most `bytes` bytes; 0 is as many as the device has.
  virtual Status create_pool(int device, std::uint64_t bytes, Pool& out) = 0;
  /// What was allocated from it stays. No default pool.
  virtual Status destroy_pool(Pool pool) = 0;
  virtual Status trim_pool(Pool pool, std::uint64_t kept) = 0;
  virtual Status pool_attribute(Pool pool, PoolAttribute attribute, std::uint64_t& out) = 0;
  virtual Status set_pool_attribute(Pool pool, PoolAttribute attribute, std::uint64_t value) = 0;
  virtual Status pool_access(Pool pool, int device, PoolAccess& out) = 0;
  virtual Status set_pool_access(Pool pool, int device, PoolAccess access) = 0;
  virtual Status allocate_from(Pool pool, std::size_t bytes, Stream stream, void*& out) = 0;

  /// As instantiate, with the vendor's flags, which are remembered.
  virtual Status instantiate_with(Graph graph, std::uint64_t flags, GraphExec& out) = 0;
  virtual Status executable_flags(GraphExec graph, std::uint64_t& out) = 0;
  /// Of the memory of a device that nodes of graphs allocate: used and reserved, now and at most.
  virtual Status graph_memory(int device, PoolAttribute attribute, std::uint64_t& out) = 0;
  virtual Status reset_graph_memory(int device, PoolAttribute attribute) = 0;
  virtual Status trim_graph_memory(int device) = 0;

  // ---- memory that programs map themselves ----
  //
  // Only what is mapped and some device may access can be copied and filled; which device does is
  // not checked. Races are those of addresses: two that show the same memory are not compared.

  /// So many addresses, a multiple of a page, from a multiple of `alignment` on, a power of two or
  /// 0. They last until free_addresses of the same, when nothing is mapped there.
  virtual Status reserve_addresses(std::size_t bytes, std::size_t alignment, void*& out) = 0;
  virtual Status free_addresses(void* begin, std::size_t bytes) = 0;
  /// Memory of a device, of one reference. It ends with the last reference and the last mapping.
  virtual Status create_memory(const PhysicalMemoryDetails& wanted, MemoryHandle& out) = 0;
  virtual Status release_memory(MemoryHandle memory) = 0;
  virtual Status memory_details(MemoryHandle memory, PhysicalMemoryDetails& out) = 0;
  /// The first bytes of the memory come to lie at `begin`, where no device may access them yet.
  virtual Status map_memory(void* begin, std::size_t bytes, MemoryHandle memory) = 0;
  /// Of whole mappings. What was submitted earlier still finds them, and the host learns nothing.
  virtual Status unmap_memory(void* begin, std::size_t bytes) = 0;
  /// Of whole mappings; not_supported for parts of them, which are a limit.
  virtual Status set_access(void* begin, std::size_t bytes, int device, PoolAccess access) = 0;
  virtual Status mapped_access(const void* address, int device, PoolAccess& out) = 0;
  /// The memory that is mapped at the address, with one more reference.
  virtual Status retain_mapped(const void* address, MemoryHandle& out) = 0;

  // ---- graphs ----

  /// A node that records the event, or waits for it, each time that the graph runs: the event is
  /// ordered with what is outside of the graph. Only while the stream captures.
  virtual Status record_event_in_graph(Event event, Stream stream) = 0;
  virtual Status wait_event_in_graph(Stream stream, Event event) = 0;
  virtual Status capture_info(Stream stream, CaptureInfo& out) = 0;
  /// What the next node of a capturing stream comes after: these nodes of its capture, and those of
  /// before if `keeps_others`.
  virtual Status update_capture(Stream stream, std::span<const GraphNode> nodes,
                                bool keeps_others) = 0;
  /// In the order of their capture.
  virtual Status graph_nodes(Graph graph, std::vector<NodeInfo>& out) = 0;
  virtual Status graph_node(GraphNode node, NodeInfo& out) = 0;

  /// An object with `count` references of the caller. When the last reference is gone, `destroy`
  /// is called with `data` on a thread of the driver, at some time; it must not call the driver.
  virtual Status create_user_object(HostFunction destroy, void* data, std::uint64_t count,
                                    UserObject& out) = 0;
  virtual Status retain_user_object(UserObject object, std::uint64_t count) = 0;
  virtual Status release_user_object(UserObject object, std::uint64_t count) = 0;
  /// References of a graph, and so of what is instantiated from it later; the caller's own if
  /// `moves`, else new ones.
  virtual Status retain_in_graph(Graph graph, UserObject object, std::uint64_t count,
                                 bool moves) = 0;
  virtual Status release_in_graph(Graph graph, UserObject object, std::uint64_t count) = 0;

  // ---- calls that only some runtimes have ----

  /// As copy_2d_async and fill_async, of boxes. One operation.
  virtual Status copy_box_async(void* to, Pitches to_pitches, const void* from,
                                Pitches from_pitches, const Box& box, CopyDirection direction,
                                SourceOrder order, Stream stream) = 0;
  virtual Status fill_box_async(void* memory, Pitches pitches, std::uint8_t value, const Box& box,
                                Stream stream) = 0;
  /// An operation that touches nothing, such as a prefetch. Like all that no graph can hold it is
  /// refused on a capturing stream, and the capture goes on.
  virtual Status submit_nothing(std::string_view name, Stream stream) = 0;
  virtual Status stream_details(Stream stream, StreamDetails& out) = 0;
  /// False when the address is of no memory that the driver knows.
  virtual bool memory_range(const void* address, MemoryRange& out) = 0;
  /// Memory of the current device for the variable of a program that `key` stands for: zeros when
  /// it is `made` at first, then the same until the device is reset or the variable dropped. No
  /// part of living().
  virtual Status device_variable(const void* key, std::size_t bytes, void*& out, bool& made) = 0;
  virtual void drop_device_variable(const void* key) = 0;
  /// The device has a context from now on. The current device stays what it is.
  virtual Status init_device(int device) = 0;
  /// Ends the streams, events and memory of the current device, and its context.
  virtual Status reset_device() = 0;

  // ---- contexts ----
  //
  // Each thread has a stack of them. The top one is current, and its device is the thread's; a call
  // of the runtime on an empty stack puts the primary context of its device there, as set_device
  // replaces the top by one. All contexts of a device share its memory and its default streams
  // here: an order that only their separation would lack is not missed.

  /// Whether any call was made since the restart, as a runtime's first call initialises the driver.
  [[nodiscard]] virtual bool was_called() = 0;
  virtual Status current_context(Context& out) = 0;  ///< none on an empty stack
  /// Replaces the top, or puts it on an empty stack; none takes the top away.
  virtual Status set_current_context(Context context) = 0;
  virtual Status push_context(Context context) = 0;
  /// invalid_context on an empty stack.
  virtual Status pop_context(Context& out) = 0;
  virtual Status context_details(Context context, ContextDetails& out) = 0;
  virtual Status set_context_flags(Context context, unsigned int flags) = 0;
  /// A context other than the primary one; it is pushed. The caller destroys it.
  virtual Status create_context(int device, unsigned int flags, Context& out) = 0;
  /// Whoever has it on a stack finds it invalid from then on; the calling thread's top goes.
  virtual Status destroy_context(Context context) = 0;
  /// One more reference to the primary context of the device, which becomes active.
  virtual Status retain_primary(int device, Context& out) = 0;
  /// invalid_context without a reference. The last one ends the context as reset_primary does,
  /// unless the runtime uses it.
  virtual Status release_primary(int device) = 0;
  /// Ends what the device has, as reset_device does, whoever refers to the context.
  virtual Status reset_primary(int device) = 0;
  virtual Status primary_state(int device, unsigned int& flags, bool& active) = 0;
  virtual Status set_primary_flags(int device, unsigned int flags) = 0;

  // ---- what can be seen ----

  /// How often the world was restarted: what a caller remembers of an earlier one is void.
  [[nodiscard]] virtual std::uint64_t restarts() = 0;

  /// The driver's own view of an address of a device: always readable and writable. NULL when the
  /// address is of no live allocation. What pending work will write is not there yet.
  [[nodiscard]] virtual std::byte* view(const void* address) = 0;

  /// Whether a stream was given a write of some of these bytes of which the host does not know that
  /// it is over: only then can a wait for it be missing.
  [[nodiscard]] virtual bool has_unfinished_write(const void* begin, std::size_t bytes) = 0;

  /// The races found since the last call, in the order in which they were found; at most 100.
  [[nodiscard]] virtual std::vector<Race> take_races() = 0;

  /// From now on `watcher` is told of races, and take_races() gives none; NULL: nobody is told. It
  /// must live until it is replaced and no call is under way.
  virtual void watch_races(RaceWatcher* watcher) = 0;

  /// Notes that a program asked for what this driver cannot do or tell, in one line
  /// ("cudaMallocArray is not modelled"): what it makes of the answer says nothing of the program.
  /// Any thread, also within a host function.
  virtual void note_limit(std::string limit) = 0;
  /// The distinct limits noted since the last call, in that order; at most 100.
  [[nodiscard]] virtual std::vector<std::string> take_limits() = 0;
  /// From now on `told` gets each new limit when it is noted, and "" when they are taken: a program
  /// may end before anybody asks. It must not call the driver, and runs on any thread, one at a
  /// time; empty: nobody is told.
  virtual void tell_limits(std::function<void(const std::string&)> told) = 0;

  /// Records calls from now on, and gives those recorded so far.
  virtual void start_trace() = 0;
  [[nodiscard]] virtual std::vector<Call> stop_trace() = 0;

  /// Operations that were submitted and have not run.
  [[nodiscard]] virtual std::size_t pending() = 0;

  /// The devices that a call made a context on since the restart, in ascending order: allocation,
  /// streams, events, work, waiting; and set_device, which since CUDA 12 initialises the primary
  /// context of its device. Counting devices and asking for their properties do not.
  [[nodiscard]] virtual std::vector<int> devices_in_use() = 0;

  [[nodiscard]] virtual Living living() = 0;

  /// Makes the next operation that runs on the device fail with this error, which sticks to the
  /// device.
  virtual void fail_next_operation(int device, Status error) = 0;
};

/// There is one per process, since the driver is one shared library. It starts with the options
/// that the environment gives (see README.md), else with the defaults.
[[nodiscard]] DLCERT_DRIVER_EXPORT SimulatedDriver& simulated_driver();

}  // namespace dlcert::driver
