// SPDX-License-Identifier: Apache-2.0

#include "order_sampling.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "order_interpreter.hpp"

namespace dlcert::driver::order {
namespace {

using Index = std::uint8_t;

class Drawing {
 public:
  Drawing(const Setting& setting, std::uint64_t seed)
      : setting_{setting},
        random_{seed},
        alive_(setting.cells.size()),
        events_(setting.event_devices.size()),
        members_(setting.streams.size()) {
    for (std::size_t cell = 0; cell < alive_.size(); ++cell)
      alive_[cell] = setting.cells[cell] != CellKind::pool;
  }

  std::vector<Call> program() {
    const std::size_t length = 8 + below(5);
    while (program_.size() < length)
      capture_ ? captured() : plain();
    if (capture_) end_capture();
    return program_;
  }

 private:
  enum class EventUse : std::uint8_t { never, recorded, captured, past };

  std::size_t below(std::size_t end) { return random_() % end; }
  bool one_in(std::size_t count) { return below(count) == 0; }

  void make(Call call) {
    const StreamRule& rule = setting_.streams[call.stream];
    if (rule.role == StreamRole::per_thread) call.thread = static_cast<Index>(rule.owner);
    program_.push_back(call);
  }
  // Most calls that would make a race are not made: drawn blindly, nearly every program had one.
  void make_access(const Call& call) {
    make(call);
    if (one_in(12)) return;
    const Verdict verdict = judge(setting_, program_);
    if (verdict.race() || verdict.unwatched) program_.pop_back();
  }

  // ---- what can be named ----

  template <class Fits>
  std::optional<Index> any(std::size_t count, Fits fits) {
    std::vector<Index> found;
    for (std::size_t i = 0; i < count; ++i)
      if (fits(i)) found.push_back(static_cast<Index>(i));
    if (found.empty()) return std::nullopt;
    return found[below(found.size())];
  }
  // A stream, or one of the capture.
  Index any_stream() {
    return *any(setting_.streams.size(), [&](std::size_t i) { return !capture_ || members_[i]; });
  }
  std::optional<Index> any_cell(bool for_kernels) {
    return any(alive_.size(), [&](std::size_t i) {
      return alive_[i] && !(for_kernels && setting_.cells[i] == CellKind::pageable);
    });
  }
  std::optional<Index> event_of(std::size_t stream) {
    return any(events_.size(), [&](std::size_t i) {
      return setting_.event_devices[i] == setting_.streams[stream].device;
    });
  }
  std::optional<Index> recorded_event() {
    return any(events_.size(), [&](std::size_t i) { return events_[i] == EventUse::recorded; });
  }
  Index any_thread() {
    return static_cast<Index>(below(static_cast<std::size_t>(setting_.threads)));
  }

  // ---- calls ----

  void touch(Index stream, Index thread) {
    const bool copies = one_in(3);
    const auto cell = any_cell(!copies);
    if (!cell) return;
    const Verb verb = copies ? Verb::copy : one_in(3) ? Verb::read : Verb::fill;
    const auto to = any(alive_.size(), [&](std::size_t i) {
      return alive_[i] && i != *cell && !(capture_ && setting_.cells[i] == CellKind::pageable);
    });
    if (copies && (!to || (capture_ && setting_.cells[*cell] == CellKind::pageable))) return;
    make_access({.verb = verb,
                 .stream = stream,
                 .cell = *cell,
                 .to = copies ? *to : Index{0},
                 .thread = thread});
  }

  void record(Index stream, Index thread) {
    if (const auto event = event_of(stream)) record(stream, thread, *event);
  }
  void record(Index stream, Index thread, Index event) {
    make({.verb = Verb::record, .stream = stream, .event = event, .thread = thread});
    events_[event] = capture_ ? EventUse::captured : EventUse::recorded;
  }

  void plain() {
    const Index stream = any_stream(), thread = any_thread();
    const auto event = recorded_event();
    const auto cell = any_cell(false);
    switch (below(20)) {
      case 0:
      case 1:
        return record(stream, thread);
      case 2:
      case 3:
      case 4:
        if (event) make({.verb = Verb::wait, .stream = stream, .event = *event, .thread = thread});
        return;
      case 5:
        return make({.verb = one_in(2) ? Verb::synchronize_stream : Verb::query_stream,
                     .stream = stream,
                     .thread = thread});
      case 6:
        if (event)
          make({.verb = one_in(2) ? Verb::synchronize_event : Verb::query_event,
                .event = *event,
                .thread = thread});
        return;
      case 7:
        if (one_in(2))
          make({.verb = Verb::synchronize_device,
                .device = static_cast<Index>(setting_.streams[stream].device),
                .thread = thread});
        return;
      case 8:
        if (cell && setting_.cells[*cell] != CellKind::pool)
          make_access({.verb = one_in(2) ? Verb::host_read : Verb::host_write,
                       .cell = *cell,
                       .thread = thread});
        return;
      case 9:
        return pool_memory(stream, thread);
      case 10:
        return begin_capture(stream, thread);
      case 11:
        return launch(stream, thread);
      default:
        touch(stream, thread);
    }
  }

  void pool_memory(Index stream, Index thread) {
    const auto cell = any(alive_.size(), [&](std::size_t i) {
      return setting_.cells[i] == CellKind::pool && !ended_pool(i);
    });
    if (!cell) return;
    if (!alive_[*cell]) {
      make({.verb = Verb::allocate, .stream = stream, .cell = *cell, .thread = thread});
      alive_[*cell] = true;
      return;
    }
    const bool by_host = setting_.host_releases && one_in(2);
    make({.verb = by_host ? Verb::release : Verb::release_on_stream,
          .stream = stream,
          .cell = *cell,
          .thread = thread});
    alive_[*cell] = false;
    ended_.push_back(*cell);
  }
  bool ended_pool(std::size_t cell) const {
    return std::ranges::find(ended_, static_cast<Index>(cell)) != ended_.end();
  }

  // ---- captures ----

  void begin_capture(Index stream, Index thread) {
    if (setting_.streams[stream].role == StreamRole::legacy || graphs_ == setting_.graphs) return;
    capture_ = stream;
    members_[stream] = true;
    thread_ = thread;
    make({.verb = Verb::begin_capture,
          .stream = stream,
          .graph = static_cast<Index>(graphs_),
          .thread = thread});
  }

  void captured() {
    const Index member = any_stream();
    switch (below(9)) {
      case 0:
        return end_capture();
      case 1: {
        // Draws another stream in.
        const auto other = any(setting_.streams.size(), [&](std::size_t i) {
          return !members_[i] && setting_.streams[i].role != StreamRole::legacy &&
                 setting_.streams[i].device == setting_.streams[member].device;
        });
        const auto event = event_of(member);
        if (!other || !event) return;
        record(member, thread_, *event);
        make({.verb = Verb::wait, .stream = *other, .event = *event, .thread = thread_});
        members_[*other] = true;
        return;
      }
      case 2:
        if (const auto event = any(events_.size(),
                                   [&](std::size_t i) { return events_[i] == EventUse::captured; }))
          make({.verb = Verb::wait, .stream = member, .event = *event, .thread = thread_});
        return;
      case 3:
        return question();
      case 4:
        return graph_memory(member);
      default:
        touch(member, thread_);
    }
  }

  // Breaks the capture, so that nothing is left but to end it.
  void question() {
    const auto event = recorded_event();
    if (!setting_.capture_questions || !event || !one_in(2)) return;
    make({.verb = one_in(2) ? Verb::query_event : Verb::synchronize_event,
          .event = *event,
          .thread = any_thread()});
    make({.verb = Verb::end_capture,
          .stream = *capture_,
          .graph = static_cast<Index>(graphs_++),
          .thread = thread_});
    usable_graphs_.push_back(false);
    leave_capture();
  }

  // The graph releases it, too, since it could not be launched again else.
  void graph_memory(Index stream) {
    const auto cell = any(alive_.size(), [&](std::size_t i) {
      return setting_.cells[i] == CellKind::pool && !alive_[i] && !ended_pool(i);
    });
    if (!setting_.graph_memory || !cell) return;
    make({.verb = Verb::allocate, .stream = stream, .cell = *cell, .thread = thread_});
    alive_[*cell] = true;
    of_graph_.push_back(*cell);
  }

  // The streams that were drawn in join the first one.
  void end_capture() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const auto member = static_cast<Index>(i);
      if (!members_[i] || member == *capture_) continue;
      const Index event = *event_of(member);
      record(member, thread_, event);
      make({.verb = Verb::wait, .stream = *capture_, .event = event, .thread = thread_});
    }
    for (const Index cell : of_graph_)
      make({.verb = Verb::release_on_stream, .stream = *capture_, .cell = cell, .thread = thread_});
    const auto graph = static_cast<Index>(graphs_++);
    make({.verb = Verb::end_capture, .stream = *capture_, .graph = graph, .thread = thread_});
    const Index stream = *capture_;
    usable_graphs_.push_back(true);
    leave_capture();
    for (int launches = 0; launches < 2; ++launches)
      launch(one_in(2) ? stream : any_stream(), thread_);
  }

  void leave_capture() {
    capture_.reset();
    members_.assign(members_.size(), false);
    std::ranges::replace(events_, EventUse::captured, EventUse::past);
    for (const Index cell : std::exchange(of_graph_, {})) {
      alive_[cell] = false;
      ended_.push_back(cell);
    }
  }

  void launch(Index stream, Index thread) {
    const auto graph = any(usable_graphs_.size(), [&](std::size_t i) { return usable_graphs_[i]; });
    if (!graph) return;
    make_access({.verb = Verb::launch_graph, .stream = stream, .graph = *graph, .thread = thread});
  }

  const Setting& setting_;
  std::mt19937_64 random_;
  std::vector<Call> program_;
  std::vector<bool> alive_;
  std::vector<Index> ended_;  // pool cells
  std::vector<EventUse> events_;
  std::vector<bool> members_;     // of the capture under way
  std::optional<Index> capture_;  // its first stream
  Index thread_ = 0;
  int graphs_ = 0;
  std::vector<bool> usable_graphs_;
  std::vector<Index> of_graph_;  // pool cells that the capture has allocated
};

}  // namespace

std::vector<SampledFamily> sampled_families() {
  constexpr StreamRule legacy{StreamRole::legacy}, blocking{StreamRole::blocking},
      non_blocking{StreamRole::non_blocking}, own{StreamRole::per_thread};
  constexpr CellKind managed = CellKind::managed, device = CellKind::device;
  return {
      {"Captures",
       {.streams = {legacy, blocking, non_blocking, non_blocking},
        .cells = {managed, managed, device},
        .event_devices = {0, 0},
        .graphs = 2,
        .capture_questions = true}},
      {"StreamOrderedMemory",
       {.streams = {legacy, blocking, non_blocking, non_blocking},
        .cells = {managed, CellKind::pool, CellKind::pool},
        .event_devices = {0, 0},
        .graphs = 1,
        .host_releases = true,
        .graph_memory = true}},
      {"TwoDevices",
       {.streams = {legacy,
                    {StreamRole::legacy, 1},
                    blocking,
                    {StreamRole::blocking, 1},
                    non_blocking,
                    {StreamRole::non_blocking, 1}},
        .cells = {managed, device},
        .event_devices = {0, 1}}},
      {"PerThreadDefaultStream",
       {.streams = {legacy, own, blocking, non_blocking},
        .cells = {managed, managed, device},
        .event_devices = {0, 0},
        .graphs = 1}},
      {"PageableMemory",
       {.streams = {legacy, blocking, non_blocking},
        .cells = {managed, device, CellKind::pageable, CellKind::pageable},
        .event_devices = {0, 0}}},
      {"TwoThreads",
       {.streams = {legacy, own, {StreamRole::per_thread, 0, 1}, blocking, non_blocking},
        .cells = {managed, managed},
        .event_devices = {0, 0},
        .threads = 2,
        .graphs = 1,
        .capture_questions = true}},
      {"TwoThreadsApart",
       {.streams = {legacy, own, {StreamRole::per_thread, 0, 1}, blocking, non_blocking},
        .cells = {managed, managed},
        .event_devices = {0, 0},
        .threads = 2,
        .threads_apart = true,
        .graphs = 1,
        .capture_questions = true}},
  };
}

std::vector<Call> draw(const Setting& setting, std::uint64_t seed) {
  return Drawing{setting, seed}.program();
}

}  // namespace dlcert::driver::order
