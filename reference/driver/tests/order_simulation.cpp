// SPDX-License-Identifier: Apache-2.0

#include "order_simulation.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

namespace dlcert::driver::order {
namespace {

constexpr std::size_t size = 16;  // of a cell
constexpr int programs_per_world = 4096;

void check(Status status) {
  if (status != Status::success)
    throw std::runtime_error("status " + std::to_string(static_cast<int>(status)));
}

// Whether the simulated driver knows of threads that nothing orders, and that they are such.
template <class AnyDriver>
constexpr bool knows_apart = requires(AnyDriver& driver) {
  driver.set_threads_apart(true);
};

template <class AnyDriver>
void set_apart([[maybe_unused]] AnyDriver& driver, [[maybe_unused]] bool apart) {
  if constexpr (knows_apart<AnyDriver>) driver.set_threads_apart(apart);
}

class Apart {
 public:
  explicit Apart(bool apart) : apart_{apart} {
    if (apart_) set_apart(simulated_driver(), true);
  }
  ~Apart() {
    if (apart_) set_apart(simulated_driver(), false);
  }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

 private:
  bool apart_;
};

// One program.
class Running {
 public:
  explicit Running(const Setting& setting) : setting_{setting}, cells_(setting.cells.size()) {
    for (const StreamRule& rule : setting.streams)
      devices_ = std::max(devices_, rule.device + 1);
    for (const StreamRule& rule : setting.streams)
      make_stream(rule, streams_.emplace_back());
    for (const int device : setting.event_devices) {
      check(driver_.set_device(device));
      check(driver_.create_event(EventTiming::disabled, events_.emplace_back()));
    }
    check(driver_.set_device(0));
    make_cells();
    graphs_.resize(static_cast<std::size_t>(setting.graphs));
  }
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void make(Call& call, std::size_t index);
  Outcome finish();
  void note_races() {
    std::vector<Race> found = driver_.take_races();
    outcome_.races.insert(outcome_.races.end(), found.begin(), found.end());
    outcome_.raced.push_back(!outcome_.races.empty());
  }

 private:
  struct Cell {
    std::byte* address = nullptr;
    std::byte* view = nullptr;
  };
  struct Graphs {
    Graph graph{};
    GraphExec executable{};
  };

  void make_stream(const StreamRule& rule, Stream& made) {
    made = rule.role == StreamRole::legacy ? Stream::legacy : Stream::per_thread;
    if (rule.role == StreamRole::legacy || rule.role == StreamRole::per_thread) return;
    check(driver_.set_device(rule.device));
    const bool blocking = rule.role == StreamRole::blocking;
    check(
        driver_.create_stream(blocking ? StreamKind::blocking : StreamKind::non_blocking, 0, made));
  }
  // Neighbours of one kind are parts of one allocation.
  void make_cells() {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const CellKind kind = setting_.cells[i];
      if (kind == CellKind::pool) continue;
      if (kind == CellKind::pageable) {
        cells_[i].view = cells_[i].address = pageable_.emplace_back(size).data();
        continue;
      }
      if (i > 0 && setting_.cells[i - 1] == kind) {
        cells_[i] = {cells_[i - 1].address + size, cells_[i - 1].view + size};
        continue;
      }
      const auto more = static_cast<std::size_t>(std::ranges::count(
          setting_.cells.begin() + static_cast<std::ptrdiff_t>(i), setting_.cells.end(), kind));
      void* memory = nullptr;
      check(driver_.allocate(memory_kind(kind), size * more, memory));
      allocations_.emplace_back(memory_kind(kind), memory);
      cells_[i] = {static_cast<std::byte*>(memory), driver_.view(memory)};
      std::memset(cells_[i].view, 0, size * more);
    }
  }
  static MemoryKind memory_kind(CellKind kind) {
    if (kind == CellKind::managed) return MemoryKind::managed;
    return kind == CellKind::pinned ? MemoryKind::pinned : MemoryKind::device;
  }
  void host_access(AccessKind kind, const Cell& cell) {
    driver_.host_access("host", {kind, {reinterpret_cast<std::uintptr_t>(cell.address), size, {}}});
  }
  void allocate(Cell& cell, Stream stream) {
    void* memory = nullptr;
    check(driver_.allocate_async(size, stream, memory));
    cell = {static_cast<std::byte*>(memory), driver_.view(memory)};
  }
  // Of a call that may be an error.
  bool answer(Status status, std::size_t index) {
    if (status != Status::not_ready && status != Status::success)
      outcome_.refused |= std::uint64_t{1} << index;
    return status == Status::success;
  }
  static std::uint8_t value(const Cell& cell) {
    return cell.view != nullptr ? std::to_integer<std::uint8_t>(*cell.view) : undefined;
  }

  SimulatedDriver& driver_ = simulated_driver();
  int devices_ = 1;
  const Setting& setting_;
  std::vector<Stream> streams_;
  std::vector<Event> events_;
  std::vector<Cell> cells_;
  std::vector<std::vector<std::byte>> pageable_;
  std::vector<std::pair<MemoryKind, void*>> allocations_;
  std::vector<Graphs> graphs_;
  std::vector<std::uint8_t> read_;
  Outcome outcome_;
};

void Running::make(Call& call, std::size_t index) {
  const StreamRule& rule = setting_.streams[call.stream];
  const Stream stream = streams_[call.stream];
  const Event event = events_[call.event];
  Cell& cell = cells_[call.cell];
  const Cell& to = cells_[call.to];
  const auto fill = static_cast<std::uint8_t>(index + 1);
  const bool on_device = call.verb == Verb::synchronize_device;
  if (devices_ > 1) check(driver_.set_device(on_device ? call.device : rule.device));
  switch (call.verb) {
    case Verb::fill:
      return check(driver_.fill_async(cell.address, fill, size, stream));
    case Verb::copy:
      return check(
          driver_.copy_async(to.address, cell.address, size, CopyDirection::inferred, stream));
    case Verb::read: {
      const SimulatedDriver::Access access{
          AccessKind::read, {reinterpret_cast<std::uintptr_t>(cell.address), size, {}}};
      return check(driver_.launch("reader", stream, {&access, 1}));
    }
    case Verb::record:
      return check(driver_.record_event(event, stream));
    case Verb::wait:
      return check(driver_.wait_event(stream, event));
    case Verb::synchronize_stream:
      return check(driver_.synchronize_stream(stream));
    case Verb::synchronize_event:
      static_cast<void>(answer(driver_.synchronize_event(event), index));
      return;
    case Verb::synchronize_device:
      return check(driver_.synchronize_device());
    case Verb::query_stream:
      call.answered = answer(driver_.query_stream(stream), index);
      return;
    case Verb::query_event:
      call.answered = answer(driver_.query_event(event), index);
      return;
    case Verb::host_read:
      host_access(AccessKind::read, cell);
      read_.push_back(value(cell));
      return;
    case Verb::host_write:
      host_access(AccessKind::write, cell);
      std::memset(cell.view, fill, size);
      return;
    case Verb::fill_all:
      return check(driver_.fill_async(cells_[0].address, fill, size * cells_.size(), stream));
    case Verb::renew_stream:
      check(driver_.destroy_stream(stream));
      return make_stream(rule, streams_[call.stream]);
    case Verb::blocking_fill:
      return check(driver_.fill(cell.address, fill, size));
    case Verb::blocking_copy:
      return check(driver_.copy(to.address, cell.address, size, CopyDirection::inferred));
    case Verb::allocate:
      return allocate(cell, stream);
    case Verb::release_on_stream:
      check(driver_.release_async(cell.address, stream));
      cell = {};
      return;
    case Verb::release:
      check(driver_.release(MemoryKind::device, cell.address));
      cell = {};
      return;
    case Verb::begin_capture:
      return check(driver_.begin_capture(stream, CaptureMode::global));
    case Verb::end_capture: {
      Graphs& made = graphs_[call.graph];
      if (!answer(driver_.end_capture(stream, made.graph), index)) return;
      return check(driver_.instantiate(made.graph, made.executable));
    }
    case Verb::launch_graph:
      return check(driver_.launch_graph(graphs_[call.graph].executable, stream));
  }
}

Outcome Running::finish() {
  for (int device = driver_.options().devices; device-- > 0;) {
    check(driver_.set_device(device));
    check(driver_.synchronize_device());
  }
  Values& values = outcome_.values;
  auto next = std::ranges::transform(cells_, values.begin(), value).out;
  std::ranges::copy(read_, next);
  return outcome_;
}

Running::~Running() {
  for (const Stream stream : streams_)
    if (stream != Stream::legacy && stream != Stream::per_thread)
      static_cast<void>(driver_.destroy_stream(stream));
  for (const Event event : events_)
    static_cast<void>(driver_.destroy_event(event));
  for (const Graphs& each : graphs_) {
    static_cast<void>(driver_.destroy_graph_exec(each.executable));
    static_cast<void>(driver_.destroy_graph(each.graph));
  }
  for (const auto& [kind, memory] : allocations_)
    static_cast<void>(driver_.release(kind, memory));
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (setting_.cells[i] == CellKind::pool && cells_[i].address != nullptr)
      static_cast<void>(driver_.release(MemoryKind::device, cells_[i].address));
}

// Each call on its thread, in turn.
void on_threads(ThreadsInTurn& threads, const std::vector<Call>& program,
                const std::function<void(std::size_t)>& make) {
  std::exception_ptr failed;
  for (std::size_t index = 0; index < program.size() && failed == nullptr; ++index)
    threads.run(program[index].thread, [&] {
      try {
        make(index);
      } catch (...) {
        failed = std::current_exception();
      }
    });
  if (failed != nullptr) std::rethrow_exception(failed);
}

}  // namespace

bool Simulation::knows_threads_apart() noexcept {
  return knows_apart<SimulatedDriver>;
}

Outcome Simulation::run(std::vector<Call>& program, Schedule schedule, std::uint64_t seed) {
  SimulatedDriver& driver = simulated_driver();
  if (until_restart_-- == 0) {
    until_restart_ = programs_per_world - 1;
    driver.restart({.devices = 2, .memory_per_device = std::uint64_t{1} << 24});
    driver.set_recurring(true);  // else numbers of handles would be used up by the million
  }
  driver.set_schedule(schedule, seed);
  Running running{setting_};
  const auto make = [&](std::size_t index) {
    running.make(program[index], index);
    running.note_races();
  };
  if (setting_.threads == 1) {
    for (std::size_t index = 0; index < program.size(); ++index)
      make(index);
  } else {
    const Apart apart{setting_.threads_apart};
    if (!threads_) threads_.emplace(static_cast<std::size_t>(setting_.threads));
    on_threads(*threads_, program, make);
  }
  return running.finish();
}

}  // namespace dlcert::driver::order
