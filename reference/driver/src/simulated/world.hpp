// SPDX-License-Identifier: Apache-2.0
//
// The simulated driver: what a process sees of its devices. Each part of the interface has a source
// file of its own (world_*.cpp).

#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "dlcert/driver/simulated.hpp"

#include "simulated/address_range.hpp"
#include "simulated/capture.hpp"
#include "simulated/device_arena.hpp"
#include "simulated/engine.hpp"
#include "simulated/handle_table.hpp"
#include "simulated/memory_pool.hpp"
#include "simulated/memory_table.hpp"
#include "simulated/user_object.hpp"

namespace dlcert::driver::simulated {

/// A stream of a device, created or default.
struct StreamState {
  Timeline* timeline = nullptr;
  Stream handle{};
  std::uint64_t id = 0;
  StreamKind kind = StreamKind::blocking;
  int priority = 0;
  std::optional<CaptureBranch> capture = {};

  [[nodiscard]] int device() const noexcept { return timeline->device; }
};

struct EventState {
  int device = 0;
  EventTiming timing{};
  Moment moment = {};                          ///< number 0: never recorded
  std::shared_ptr<std::uint64_t> ran_at = {};  ///< in operations run, once it has run
  std::optional<CaptureBranch> capture = {};   ///< recorded in a capture
};

struct ExecutableGraph {
  std::shared_ptr<CapturedGraph> graph;
  std::vector<UserReferences> objects = {};
  std::uint64_t flags = 0;
  std::vector<Timeline*> branches;  ///< made for this graph
  Moment last = {};                 ///< a launch waits for the one before
};

/// The pools that a device always has, and the books of the memory of graphs.
struct DevicePools {
  Pool first{};
  Pool current{};
  MemoryPool graphs = {};
};

/// A context that a program created, or the primary one of a device, which stays when it ends.
struct ContextState {
  ContextDetails details;
  bool active = false;
  bool of_runtime = false;       ///< primary: a call of the runtime made it
  std::uint64_t references = 0;  ///< primary: those of the program
};

/// What a thread has chosen, of one world.
struct ThreadState {
  std::uint64_t world = 0;
  int device = 0;                      ///< that of the current context, else as chosen last
  std::vector<Context> contexts = {};  ///< the last one is current
  Status last_error = Status::success;
  CaptureMode capture_mode = CaptureMode::global;
  std::vector<StreamState*> per_thread;  ///< by device; NULL before first use
  std::vector<NamedAccess> scopes;
  std::uint64_t place = 0;  ///< of the call under way, if somebody watches races
};

class World final : public SimulatedDriver {
 public:
  explicit World(const SimulatedOptions& options);

  std::string_view name() const noexcept override { return "simulated"; }
  Vendor vendor() const noexcept override { return options_.vendor; }
  int version() const noexcept override;
  int driver_version() const noexcept override;

  Status device_count(int& count) override;
  Status properties(int device, DeviceProperties& out) override;
  Status current_device(int& device) override;
  Status set_device(int device) override;
  Status synchronize_device() override;
  Status has_context(int device, bool& has) override;
  Status can_access_peer(int device, int peer, bool& can) override;
  Status enable_peer_access(int peer) override;
  Status disable_peer_access(int peer) override;

  Status allocate(MemoryKind kind, std::size_t bytes, void*& out) override;
  Status release(MemoryKind kind, void* memory) override;
  Status allocate_async(std::size_t bytes, Stream stream, void*& out) override;
  Status release_async(void* memory, Stream stream) override;
  Status register_host(void* memory, std::size_t bytes) override;
  Status unregister_host(void* memory) override;
  Status attributes(const void* memory, PointerAttributes& out) override;

  Status copy(void* to, const void* from, std::size_t bytes, CopyDirection direction) override;
  Status copy_async(void* to, const void* from, std::size_t bytes, CopyDirection direction,
                    Stream stream) override;
  Status copy_2d_async(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                       std::size_t row_bytes, std::size_t rows, CopyDirection direction,
                       Stream stream) override;
  Status copy_peer_async(void* to, int to_device, const void* from, int from_device,
                         std::size_t bytes, Stream stream) override;
  Status fill(void* memory, std::uint8_t value, std::size_t bytes) override;
  Status fill_async(void* memory, std::uint8_t value, std::size_t bytes, Stream stream) override;
  Status launch_host_function(Stream stream, HostFunction function, void* data) override;

  Status create_stream(StreamKind kind, int priority, Stream& out) override;
  Status destroy_stream(Stream stream) override;
  Status query_stream(Stream stream) override;
  Status synchronize_stream(Stream stream) override;
  Status stream_kind(Stream stream, StreamKind& out) override;
  Status stream_id(Stream stream, std::uint64_t& out) override;
  Status wait_event(Stream stream, Event event) override;

  Status create_event(EventTiming timing, Event& out) override;
  Status destroy_event(Event event) override;
  Status record_event(Event event, Stream stream) override;
  Status query_event(Event event) override;
  Status synchronize_event(Event event) override;
  Status elapsed_milliseconds(Event start, Event end, float& out) override;

  Status begin_capture(Stream stream, CaptureMode mode) override;
  Status end_capture(Stream stream, Graph& out) override;
  Status capture_status(Stream stream, CaptureStatus& out) override;
  Status exchange_capture_mode(CaptureMode& mode) override;
  Status instantiate(Graph graph, GraphExec& out) override;
  Status launch_graph(GraphExec graph, Stream stream) override;
  Status destroy_graph(Graph graph) override;
  Status destroy_graph_exec(GraphExec graph) override;

  Status take_error() override;
  Status peek_error() override;

  void restart(const SimulatedOptions& options) override;
  const SimulatedOptions& options() const noexcept override { return options_; }
  void set_schedule(Schedule schedule, std::uint64_t seed) override;
  void set_recurring(bool recurring) override;
  void set_threads_apart(bool apart) override;
  Status copy_box(void* to, Pitches to_pitches, const void* from, Pitches from_pitches,
                  const Box& box, CopyDirection direction, Stream stream) override;
  Status launch(std::string_view name, Stream stream, std::span<const Access> accesses) override;
  std::uint64_t opaque_launches() override { return opaque_launches_; }
  Status fence(int device) override;
  void host_access(std::string_view name, const Access& access) override;
  void begin_scope(std::string_view name, const Access& access) override;
  void end_scope(bool host) override;
  Status memory_info(std::uint64_t& free, std::uint64_t& total) override;
  Status default_pool(int device, Pool& out) override;
  Status current_pool(int device, Pool& out) override;
  Status set_current_pool(int device, Pool pool) override;
  Status create_pool(int device, std::uint64_t bytes, Pool& out) override;
  Status destroy_pool(Pool pool) override;
  Status trim_pool(Pool pool, std::uint64_t kept) override;
  Status pool_attribute(Pool pool, PoolAttribute attribute, std::uint64_t& out) override;
  Status set_pool_attribute(Pool pool, PoolAttribute attribute, std::uint64_t value) override;
  Status pool_access(Pool pool, int device, PoolAccess& out) override;
  Status set_pool_access(Pool pool, int device, PoolAccess access) override;
  Status allocate_from(Pool pool, std::size_t bytes, Stream stream, void*& out) override;
  Status instantiate_with(Graph graph, std::uint64_t flags, GraphExec& out) override;
  Status executable_flags(GraphExec graph, std::uint64_t& out) override;
  Status graph_memory(int device, PoolAttribute attribute, std::uint64_t& out) override;
  Status reset_graph_memory(int device, PoolAttribute attribute) override;
  Status trim_graph_memory(int device) override;
  Status reserve_addresses(std::size_t bytes, std::size_t alignment, void*& out) override;
  Status free_addresses(void* begin, std::size_t bytes) override;
  Status create_memory(const PhysicalMemoryDetails& wanted, MemoryHandle& out) override;
  Status release_memory(MemoryHandle memory) override;
  Status memory_details(MemoryHandle memory, PhysicalMemoryDetails& out) override;
  Status map_memory(void* begin, std::size_t bytes, MemoryHandle memory) override;
  Status unmap_memory(void* begin, std::size_t bytes) override;
  Status set_access(void* begin, std::size_t bytes, int device, PoolAccess access) override;
  Status mapped_access(const void* address, int device, PoolAccess& out) override;
  Status retain_mapped(const void* address, MemoryHandle& out) override;
  Status record_event_in_graph(Event event, Stream stream) override;
  Status wait_event_in_graph(Stream stream, Event event) override;
  Status capture_info(Stream stream, CaptureInfo& out) override;
  Status update_capture(Stream stream, std::span<const GraphNode> nodes,
                        bool keeps_others) override;
  Status graph_nodes(Graph graph, std::vector<NodeInfo>& out) override;
  Status graph_node(GraphNode node, NodeInfo& out) override;
  Status create_user_object(HostFunction destroy, void* data, std::uint64_t count,
                            UserObject& out) override;
  Status retain_user_object(UserObject object, std::uint64_t count) override;
  Status release_user_object(UserObject object, std::uint64_t count) override;
  Status retain_in_graph(Graph graph, UserObject object, std::uint64_t count, bool moves) override;
  Status release_in_graph(Graph graph, UserObject object, std::uint64_t count) override;
  Status copy_box_async(void* to, Pitches to_pitches, const void* from, Pitches from_pitches,
                        const Box& box, CopyDirection direction, SourceOrder order,
                        Stream stream) override;
  Status fill_box_async(void* memory, Pitches pitches, std::uint8_t value, const Box& box,
                        Stream stream) override;
  Status submit_nothing(std::string_view name, Stream stream) override;
  Status stream_details(Stream stream, StreamDetails& out) override;
  bool memory_range(const void* address, MemoryRange& out) override;
  Status device_variable(const void* key, std::size_t bytes, void*& out, bool& made) override;
  void drop_device_variable(const void* key) override;
  Status init_device(int device) override;
  Status reset_device() override;
  bool was_called() override;
  Status current_context(Context& out) override;
  Status set_current_context(Context context) override;
  Status push_context(Context context) override;
  Status pop_context(Context& out) override;
  Status context_details(Context context, ContextDetails& out) override;
  Status set_context_flags(Context context, unsigned int flags) override;
  Status create_context(int device, unsigned int flags, Context& out) override;
  Status destroy_context(Context context) override;
  Status retain_primary(int device, Context& out) override;
  Status release_primary(int device) override;
  Status reset_primary(int device) override;
  Status primary_state(int device, unsigned int& flags, bool& active) override;
  Status set_primary_flags(int device, unsigned int flags) override;
  std::uint64_t restarts() override;
  std::byte* view(const void* address) override;
  bool has_unfinished_write(const void* begin, std::size_t bytes) override;
  std::vector<Race> take_races() override;
  void watch_races(RaceWatcher* watcher) override;
  void note_limit(std::string limit) override;
  std::vector<std::string> take_limits() override;
  void tell_limits(std::function<void(const std::string&)> told) override;
  void start_trace() override;
  std::vector<Call> stop_trace() override;
  std::size_t pending() override;
  std::vector<int> devices_in_use() override;
  Living living() override;
  void fail_next_operation(int device, Status error) override;

  /// Around a fork of the process: the child finds the world whole and not locked.
  void before_fork() { mutex_.lock(); }
  void after_fork_in_parent() { mutex_.unlock(); }
  void after_fork_in_child();

 private:
  // One call of the driver: holds the lock, and is traced and remembered when it ends.
  struct Session {
    Lock lock;
    ThreadState& thread;
    bool waited = false;
    std::uintptr_t written = 0;
  };
  // A function of the driver, as traces and races name it.
  struct Function {
    Function(const char* its_name) : name{its_name} {}  // NOLINT: a name is such a function
    Function(std::string_view its_name, bool touches) : name{its_name}, touches_memory{touches} {}

    std::string_view name;        // static storage
    bool touches_memory = false;  // it can be half of a race: a watcher is asked for its place
  };
  static Function on_memory(std::string_view name) { return {name, true}; }
  // Runs `body(Session&)`, which gives the call's status. Lack of memory is one, too.
  template <class Body>
  Status call(Function function, Stream stream, Event event, Body&& body);
  template <class Body>
  Status call(Function function, Body&& body) {
    return call(function, Stream::null, Event{}, std::forward<Body>(body));
  }
  void finish(std::string_view function, Stream stream, Event event, const Session& session,
              Status status);

  ThreadState& thread_state();
  bool has_device(int device) const noexcept { return device >= 0 && device < options_.devices; }
  // no_device or invalid_device unless there is such a device.
  Status known(int device) const noexcept;
  // no_device, or the error that sticks to the current device, which has a context from now on.
  Status usable(ThreadState& thread);
  void make_devices();

  // ---- contexts ----
  ContextState& primary(int device);
  // The device has a context from now on.
  void use(int device) { primary(device).active = true; }
  // So it has, because of the runtime; the thread's top is this context then.
  void use_in_runtime(ThreadState& thread, int device);
  void put_on_top(ThreadState& thread, Context context, bool replaces);
  void find_device(ThreadState& thread);
  ContextState* find_context(Context context) const;
  void end_device(Session& session, int device);

  // ---- streams ----
  StreamState* find_stream(Stream stream, ThreadState& thread);
  StreamState& per_thread_stream(ThreadState& thread);
  void remember(StreamState& stream);
  void end_stream(StreamState& stream);
  // What has to be reached before the stream is idle.
  std::vector<Moment> everything_of(const StreamState& stream);
  void synchronize(Session& session, const StreamState& stream);
  Status synchronize_unless_captured(Session& session, const StreamState& stream);
  // Gives `task` to the stream, or to its capture.
  Status submit(Session& session, StreamState& stream, Task task);
  Task make_record(EventTiming timing, std::shared_ptr<std::uint64_t>& ran_at);
  void finish_record(EventState& event, std::shared_ptr<std::uint64_t> ran_at,
                     const Timeline& timeline);
  // The same to the stream's timeline.
  void append(Timeline& timeline, const Task& task);

  // ---- memory ----
  // Where bytes lie. No value for addresses of no memory.
  struct Place {
    std::byte* view = nullptr;
    MemoryKind kind = MemoryKind::pageable;
  };
  std::optional<Place> place_of(const void* address, std::size_t bytes, AccessKind kind);
  std::byte* bytes_at(const Allocation& allocation, const void* address);
  DeviceArena& arena(int device);
  Status allocate_host(MemoryKind kind, std::size_t bytes, int device, void*& out);
  static void* block_of(const Allocation& allocation);
  void free_now(Allocation& allocation);

  // ---- memory that is mapped ----
  // The reserved addresses that hold all of these bytes, or NULL.
  Allocation* find_reserved(std::uintptr_t begin, std::size_t bytes);
  PhysicalMemory* find_physical(MemoryHandle memory) const;
  void end_unused(const PhysicalMemory& memory);

  // ---- memory of pools ----
  DevicePools& pools_of(int device);
  std::shared_ptr<MemoryPool> find_pool(Pool pool) const;
  Status allocate_in(Session& session, const std::shared_ptr<MemoryPool>& pool, std::size_t bytes,
                     StreamState& stream, void*& out);
  template <class Body>
  Status call_with_pool(Function function, Pool pool, Body&& body);
  Pool add_pool(MemoryPool pool);
  Task make_release(const Allocation& allocation);
  void release_at_once(Allocation& allocation);
  void release_reserves();
  void begin_life(Timeline& timeline, const Task& task);
  void end_life(Allocation& allocation, Position at);

  // ---- memory of graphs ----
  Status capture_allocation(StreamState& stream, Task task, Allocation& allocation);
  Status capture_release(StreamState& stream, const Allocation& allocation);
  Status release_unreleased(const ExecutableGraph& executable, StreamState& stream);
  Allocation* find_graph_memory(std::uintptr_t begin);
  void set_mapped(Allocation& allocation, bool mapped);
  void reclaim_graph_memory();

  // ---- work ----
  // A box of bytes, from one memory to another.
  struct Copy {
    std::string_view name;
    void* to;
    Pitches to_pitches;
    const void* from;
    Pitches from_pitches;
    Box box;
    CopyDirection direction;
    SourceOrder order = SourceOrder::stream;
  };
  struct Ends {
    Place to;
    Place from;
  };
  Status ends_of(const Copy& copy, Ends& out);
  Task make_copy(const Copy& copy, const Ends& ends, bool staged);
  // Blocking copies take the bytes of a pageable source before they return.
  enum class Blocking : bool { no, yes };
  Status copy_on(Session& session, const Copy& copy, Stream stream, Blocking blocking);
  Status copy_now(Session& session, const Copy& copy, Stream stream);
  Task make_fill(std::string_view name, void* memory, std::byte* view, std::uint8_t value,
                 Pitches pitches, const Box& box);

  // ---- capture ----
  // The answer to what no capture survives: breaks those that are concerned.
  Status refuse_captured(const StreamState& stream);
  Status refuse_captured(const EventState& event);
  bool is_of_lost_capture(const EventState& event) const;
  Status refuse_legacy(const StreamState& stream);  // while a blocking stream captures
  Status refuse_device_wait(int device);
  Status refuse_unsafe(const ThreadState& thread);
  Status refuse_unsafe_to_cuda(const ThreadState& thread);
  Status refuse_question(const EventState& event, const ThreadState& thread);
  Status refuse_question(const StreamState& stream, const ThreadState& thread);
  Status refuse_blocking_copy();  // ROCm
  bool blocking_capture(int device) const;
  Status capture_task(StreamState& stream, Task task);
  Status wait_in_capture(StreamState& stream, const EventState& event);
  Status join_capture(StreamState& stream, const CaptureBranch& branch);
  void leave_capture(const Capture& capture);
  void drop_graph(Graph graph);
  std::shared_ptr<CapturedGraph> find_node(GraphNode node, std::size_t& index) const;
  UserObjectState* find_user_object(UserObject object) const;
  Status capture_event_node(Function function, Stream stream, Event event, NodeKind kind);
  void replay_node(Timeline& branch, const Task& task);
  void replay(Session& session, ExecutableGraph& executable, StreamState& stream);

  // ---- races ----
  void record_access(std::string_view name, const Access& access, Position at,
                     const Timeline& timeline, std::uint64_t place);
  void record_host_access(const NamedAccess& named);
  bool is_alive(const Access& access);
  static bool is_alive(const Allocation& allocation, std::uintptr_t address);
  void report_outside_life(const Allocation& allocation, std::string_view name,
                           const Access& access, Position at, std::uint64_t place);
  // Whether a race of these places is to be described, and where it goes then.
  bool is_new_race(std::uint64_t first_place, std::uint64_t second_place);
  // For whoever watches: the place of a call, 0 where nobody does, and what was found.
  std::uint64_t place_of_caller(Function function);
  void tell_races();
  std::string describe(AccessKind kind, std::uint64_t name, Position at) const;
  std::string where(Position at) const;
  // Static storage, for names that a caller may change.
  std::string_view keep_name(std::string_view name);

  std::mutex mutex_;
  SimulatedOptions options_;
  std::uint64_t world_ = 1;  // counts restarts
  std::unique_ptr<Engine> engine_;
  std::vector<std::unique_ptr<Engine>> inherited_engines_;  // of before a fork; never ended
  bool engine_is_inherited_ = false;                        // its thread is the parent's
  bool called_ = false;                                     // since the restart
  Status refusal_ = Status::success;                        // of every call
  bool recurring_ = false;                                  // handles and addresses
  HandleTable<ContextState> contexts_{0x7d7000000000};
  std::vector<Context> primaries_;  // by device
  std::uint64_t next_context_id_ = 1;
  std::vector<std::unique_ptr<DeviceArena>> arenas_;
  std::unique_ptr<MemoryTable> memory_;
  HandleTable<PhysicalMemory> physical_{0x7d8000000000};
  std::size_t reservations_ = 0;                            // in memory_
  std::deque<std::shared_ptr<AddressRange>> freed_ranges_;  // the oldest first
  std::set<std::pair<int, int>> peers_;                     // (device, peer) with access enabled
  std::map<std::pair<int, const void*>, std::uintptr_t> variables_;  // by device and key
  HandleTable<StreamState> streams_{0x7d1000000000};
  HandleTable<EventState> events_{0x7d2000000000};
  HandleTable<std::shared_ptr<CapturedGraph>> graphs_{0x7d3000000000};
  HandleTable<ExecutableGraph> executables_{0x7d4000000000};
  HandleTable<std::shared_ptr<MemoryPool>> pools_{0x7d5000000000};
  HandleTable<UserObjectState> user_objects_{0x7d6000000000};
  std::map<std::uint64_t, std::weak_ptr<CapturedGraph>> graphs_by_id_;
  std::vector<DevicePools> device_pools_;                // by device; no handles before first use
  std::vector<std::weak_ptr<MemoryPool>> living_pools_;  // also those that only memory holds
  std::vector<std::uintptr_t> graph_memory_;             // where it begins
  std::vector<std::unique_ptr<StreamState>> default_streams_;  // legacy by device, then per thread
  std::vector<StreamState*> by_timeline_;           // NULL: destroyed, or a branch of a graph
  std::vector<std::shared_ptr<Capture>> captures_;  // under way
  std::uint64_t next_stream_id_ = 1;
  std::uint64_t next_capture_id_ = 1;
  std::vector<Race> races_;
  std::atomic<RaceWatcher*> watcher_{nullptr};
  std::set<std::pair<std::uint64_t, std::uint64_t>> told_races_;  // their places
  std::mutex limits_mutex_;
  std::vector<std::string> limits_;
  std::function<void(const std::string&)> limits_told_;
  std::atomic<std::uint64_t> opaque_launches_{0};
  std::set<std::string, std::less<>> names_;
  std::optional<std::vector<Call>> trace_;
};

template <class Body>
Status World::call(Function function, Stream stream, Event event, Body&& body) {
  const std::uint64_t place = place_of_caller(function);
  const Status status = [&] {
    Session session{Lock{mutex_}, thread_state()};
    session.thread.place = place;
    Status answer = Status::not_permitted;  // a host function may not call the driver
    try {
      called_ = true;
      engine_->note_call();
      if (!engine_->on_own_thread())
        answer = refusal_ != Status::success ? refusal_ : std::forward<Body>(body)(session);
    } catch (const std::bad_alloc&) {
      answer = Status::out_of_memory;
    } catch (const std::system_error&) {
      answer = Status::out_of_memory;
    }
    finish(function.name, stream, event, session, answer);
    session.thread.place = 0;
    return answer;
  }();
  tell_races();
  return status;
}

}  // namespace dlcert::driver::simulated
