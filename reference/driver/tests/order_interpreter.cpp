// SPDX-License-Identifier: Apache-2.0
//
// A program is a set of steps: the operations of streams, and those calls of the host that wait or
// touch memory. Each waits for some others, by the rules of add(); a schedule runs one step after
// the other, each when all that it waits for has run. A call that only gives work to a stream is no
// step: its work comes after the last step of its thread. A state is what has run, and the bytes
// then.
//
// Sources, by page: [runtime] CUDA Runtime API, "Stream Management", "Event Management" and "Memory
// Management"; [default] "Stream synchronization behavior"; [sync] "API synchronization behavior";
// [pool] "Stream Ordered Memory Allocator"; [graph] "Graph Management"; [guide] CUDA C++
// Programming Guide, "Asynchronous Concurrent Execution".

#include "order_interpreter.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <vector>

namespace dlcert::driver::order {
namespace {

using Mask = std::uint64_t;  // of steps, of a graph's nodes, of cells, or of values

constexpr Mask bit(std::size_t index) {
  return Mask{1} << index;
}

// What a step does when it runs: `targets` take the value of another slot, or a given one.
struct Effect {
  Mask reads = 0;
  Mask writes = 0;
  Mask targets = 0;
  int from = -1;
  std::uint8_t value = 0;
};

struct Step {
  Mask before = 0;
  Effect effect = {};
  std::size_t call = 0;
  bool of_host = false;
};

struct StreamModel {
  StreamRule rule;
  Mask tail = 0;     // what its next operation comes after
  int capture = -1;  // the graph that it is captured into
  Mask branch = 0;   // the nodes that its next one comes after
};

struct EventModel {
  Mask work = 0;
  int capture = -1;
  Mask branch = 0;
};

struct GraphModel {
  struct Node {
    Effect effect;
    Mask after;
  };
  std::vector<Node> nodes;
  Mask last_launch = 0;
};

// ---- the rules ----------------------------------------------------------------------------------

class Steps {
 public:
  // `choices`: of each open copy in turn, whether it has the second of its outcomes.
  Steps(const Setting& setting, Mask choices) : setting_{setting}, choices_{choices} {
    for (const StreamRule& rule : setting.streams)
      streams_.push_back({.rule = rule});
    events_.resize(setting.event_devices.size());
    graphs_.resize(static_cast<std::size_t>(setting.graphs));
    host_.resize(setting.threads_apart ? static_cast<std::size_t>(setting.threads) : 1);
    seen_ = setting.cells.size();
  }

  void add(const Call& call, std::size_t index);
  [[nodiscard]] const std::vector<Step>& all() const noexcept { return steps_; }
  // How many values a program can see: those of cells, and what the host has read.
  [[nodiscard]] std::size_t seen() const noexcept { return seen_; }
  [[nodiscard]] Mask refused() const noexcept { return refused_; }
  [[nodiscard]] std::size_t open_copies() const noexcept { return open_copies_; }

 private:
  Mask add_step(Mask before, const Effect& effect = {});
  void host_step(Mask before, const Effect& effect = {});
  Mask implicit(const StreamModel& stream) const;
  Mask everything_of(const StreamModel& stream) const { return stream.tail | legacy_part(stream); }
  Mask legacy_part(const StreamModel& stream) const;
  Mask device_work(int device) const;
  void submit(StreamModel& stream, const Effect& effect, Mask after = 0);
  void wait(StreamModel& stream, const EventModel& event);
  void copy(StreamModel& stream, const Call& call);
  void blocking(StreamModel& stream, const Effect& effect, bool waits);
  void launch(StreamModel& stream, GraphModel& graph);
  void begin_capture(StreamModel& stream, int graph);
  void end_capture(GraphModel& graph);
  bool refuse_question();
  void renew(std::size_t stream);
  bool is(std::uint8_t cell, CellKind kind) const { return setting_.cells[cell] == kind; }
  bool on_host(std::uint8_t cell) const {
    return is(cell, CellKind::pageable) || is(cell, CellKind::pinned);
  }

  const Setting& setting_;
  Mask choices_;
  std::vector<StreamModel> streams_;
  std::vector<EventModel> events_;
  std::vector<GraphModel> graphs_;
  std::vector<Mask> host_;  // by thread: its last step
  std::vector<Step> steps_;
  bool capturing_ = false;
  bool broken_ = false;  // the capture under way
  Mask refused_ = 0;
  std::size_t seen_ = 0;
  std::size_t staged_ = Values{}.size();  // the last slots, downwards
  std::size_t open_copies_ = 0;
  std::size_t call_ = 0;
  std::size_t thread_ = 0;
};

Mask Steps::add_step(Mask before, const Effect& effect) {
  if (steps_.size() == 64) throw std::length_error("more than 64 steps");
  steps_.push_back({before, effect, call_, false});
  return bit(steps_.size() - 1);
}

// A thread makes its next call when the one before has returned. Where threads are apart, what
// another one has waited for tells it nothing: no page says so.
void Steps::host_step(Mask before, const Effect& effect) {
  host_[thread_] = add_step(before | host_[thread_], effect);
  steps_.back().of_host = true;
}

// [default] Work in the legacy default stream first waits for all blocking streams of its device.
Mask Steps::legacy_part(const StreamModel& stream) const {
  Mask work = 0;
  if (stream.rule.role != StreamRole::legacy) return work;
  for (const StreamModel& other : streams_) {
    const bool blocks =
        other.rule.role == StreamRole::blocking || other.rule.role == StreamRole::per_thread;
    if (blocks && other.rule.device == stream.rule.device) work |= other.tail;
  }
  return work;
}

// [default] … and then all blocking streams wait for it. Per-thread default streams are blocking.
Mask Steps::implicit(const StreamModel& stream) const {
  Mask work = legacy_part(stream);
  if (stream.rule.role == StreamRole::non_blocking) return work;
  for (const StreamModel& other : streams_)
    if (other.rule.role == StreamRole::legacy && other.rule.device == stream.rule.device)
      work |= other.tail;
  return work;
}

// [runtime] The operations of one stream run in the order in which they were given to it.
void Steps::submit(StreamModel& stream, const Effect& effect, Mask after) {
  if (stream.capture >= 0) {
    // [graph] What is pushed into a capturing stream does not run, but becomes a node.
    std::vector<GraphModel::Node>& nodes = graphs_[static_cast<std::size_t>(stream.capture)].nodes;
    nodes.push_back({effect, stream.branch});
    stream.branch = bit(nodes.size() - 1);
    return;
  }
  stream.tail = add_step(host_[thread_] | stream.tail | implicit(stream) | after, effect);
}

// [runtime] All future work of the stream waits for the work in the event: that of its most recent
// record when this call is made. [driver, cuStreamWaitEvent] Before the first one it does nothing,
// in the legacy stream neither, as an H200 shows.
void Steps::wait(StreamModel& stream, const EventModel& event) {
  if (event.capture < 0 && event.work == 0) return;
  if (event.capture < 0) return submit(stream, {}, event.work);
  // [guide, "Cross-stream Dependencies and Events"] Such a wait draws the stream into the capture.
  stream.branch = event.branch | (stream.capture >= 0 ? stream.branch : 0);
  stream.capture = event.capture;
}

// [sync] "Asynchronous": between device and pageable memory the function may be synchronous, or
// synchronise with the stream and stage, or be asynchronous. All others are asynchronous, except
// between host memories.
void Steps::copy(StreamModel& stream, const Call& call) {
  Effect effect{bit(call.cell), bit(call.to), bit(call.to), call.cell, 0};
  const bool upload = is(call.cell, CellKind::pageable), download = is(call.to, CellKind::pageable);
  const bool on_host_alone = on_host(call.cell) && on_host(call.to) && stream.capture < 0;
  const bool open = upload != download && !on_host_alone && stream.capture < 0;
  const bool second = open && (choices_ & bit(open_copies_++)) != 0;
  if (second && upload) {
    const std::size_t staged = --staged_;
    host_step(stream.tail | implicit(stream), {effect.reads, 0, bit(staged), call.cell, 0});
    effect.reads = 0;
    effect.from = static_cast<int>(staged);
  }
  submit(stream, effect);
  if ((second && download) || on_host_alone) host_step(stream.tail);
}

// [sync] "Synchronous" and "Memset": in the legacy default stream. A copy between memories of
// devices and a fill of anything but pinned memory wait for nothing. Of managed memory no row on
// copies speaks any more: as before CUDA 12, the end. (Programs have no such copy from pageable
// memory.)
void Steps::blocking(StreamModel& stream, const Effect& effect, bool waits) {
  submit(stream, effect);
  if (waits) host_step(stream.tail);
}

// [graph] A launch is ordered behind previous work in the stream and previous launches of the same
// executable graph; what follows in the stream comes after all of it.
void Steps::launch(StreamModel& stream, GraphModel& graph) {
  const Mask begin = host_[thread_] | stream.tail | implicit(stream) | graph.last_launch;
  std::vector<Mask> made;
  Mask all = 0;
  for (const GraphModel::Node& node : graph.nodes) {
    Mask before = begin;
    for (std::size_t earlier = 0; earlier < made.size(); ++earlier)
      if ((node.after & bit(earlier)) != 0) before |= made[earlier];
    made.push_back(add_step(before, node.effect));
    all |= made.back();
  }
  stream.tail = all != 0 ? all : add_step(begin);
  graph.last_launch = stream.tail;
}

void Steps::begin_capture(StreamModel& stream, int graph) {
  stream.capture = graph;
  stream.branch = 0;
  capturing_ = true;
  broken_ = false;
}

void Steps::end_capture(GraphModel& graph) {
  for (StreamModel& stream : streams_)
    stream.capture = -1;
  capturing_ = false;
  if (!broken_) return;
  graph.nodes.clear();
  refused_ |= bit(call_);
}

// [runtime, cudaThreadExchangeStreamCaptureMode] While a capture of global mode is under way, no
// thread may make potentially unsafe calls, as questions for events and streams are. The capture is
// broken, and its end says so.
bool Steps::refuse_question() {
  if (!capturing_) return false;
  broken_ = true;
  refused_ |= bit(call_);
  return true;
}

// [runtime] The work of a stream that is destroyed still runs. That the legacy stream waits for it,
// too, is left open; so it does.
void Steps::renew(std::size_t stream) {
  streams_.push_back(streams_[stream]);
  streams_[stream].tail = 0;
}

// [runtime] The device has completed all preceding requested tasks.
Mask Steps::device_work(int device) const {
  Mask work = 0;
  for (const StreamModel& stream : streams_)
    if (stream.rule.device == device) work |= stream.tail;
  return work;
}

void Steps::add(const Call& call, std::size_t index) {
  call_ = index;
  thread_ = setting_.threads_apart ? call.thread : 0;
  StreamModel& stream = streams_[call.stream];
  const auto value = static_cast<std::uint8_t>(index + 1);
  const Mask cell = bit(call.cell);
  const Effect fills{0, cell, cell, -1, value};
  switch (call.verb) {
    case Verb::fill:
      return submit(stream, fills);
    case Verb::copy:
      return copy(stream, call);
    case Verb::read:
      return submit(stream, {cell, 0, 0, -1, 0});
    case Verb::record: {
      // [runtime] Captures the contents of the stream at this call, and replaces what it held.
      EventModel& event = events_[call.event];
      if (stream.capture >= 0) {
        event = {0, stream.capture, stream.branch};
        return;
      }
      submit(stream, {});
      event = {stream.tail, -1, 0};
      return;
    }
    case Verb::wait:
      return wait(stream, events_[call.event]);
    case Verb::synchronize_stream:
      if (refuse_question()) return;
      return host_step(everything_of(stream));
    case Verb::synchronize_event:
      if (refuse_question()) return;
      return host_step(events_[call.event].work);
    case Verb::synchronize_device:
      return host_step(device_work(call.device));
    // [runtime] Success says that all has completed. The other answer teaches nothing: it may be
    // out of date when the host has it.
    case Verb::query_stream:
      if (refuse_question()) return;
      if (call.answered) host_step(everything_of(stream));
      return;
    case Verb::query_event:
      if (refuse_question()) return;
      if (call.answered) host_step(events_[call.event].work);
      return;
    case Verb::host_read:
      return host_step(0, {cell, 0, bit(seen_++), call.cell, 0});
    case Verb::host_write:
      return host_step(0, fills);
    case Verb::fill_all: {
      const Mask cells = bit(setting_.cells.size()) - 1;
      return submit(stream, {0, cells, cells, -1, value});
    }
    case Verb::renew_stream:
      return renew(call.stream);
    case Verb::blocking_fill:
      return blocking(stream, fills, is(call.cell, CellKind::pinned));
    case Verb::blocking_copy:
      return blocking(stream, {cell, bit(call.to), bit(call.to), call.cell, 0},
                      !is(call.cell, CellKind::device) || !is(call.to, CellKind::device));
    // [pool] Memory must not be accessed before the allocation has completed in the order of its
    // stream, nor once the stream has reached its release.
    case Verb::allocate:
    case Verb::release_on_stream:
      return submit(stream, {0, cell, cell, -1, undefined});
    // [runtime, cudaFree] No implicit synchronisation: the caller makes sure that all accesses have
    // completed.
    case Verb::release:
      return host_step(0, {0, cell, cell, -1, undefined});
    case Verb::begin_capture:
      return begin_capture(stream, call.graph);
    case Verb::end_capture:
      return end_capture(graphs_[call.graph]);
    case Verb::launch_graph:
      return launch(stream, graphs_[call.graph]);
  }
}

// ---- all schedules ------------------------------------------------------------------------------

struct State {
  Mask done = 0;
  Values values = {};

  friend bool operator==(const State&, const State&) = default;
};

void run(const Effect& effect, Values& values) {
  if (effect.targets == 0) return;
  const std::uint8_t value =
      effect.from >= 0 ? values[static_cast<std::size_t>(effect.from)] : effect.value;
  for (Mask rest = effect.targets; rest != 0; rest &= rest - 1)
    values[static_cast<std::size_t>(std::countr_zero(rest))] = value;
}

// The cells that both touch, and one writes.
Mask conflict(const Effect& a, const Effect& b) {
  return (a.writes & (b.reads | b.writes)) | (a.reads & b.writes);
}

// What was seen of the accesses in all states.
class Pairs {
 public:
  Pairs(const Setting& setting, const std::vector<Step>& steps)
      : steps_{steps}, without_(steps.size()) {
    for (std::size_t cell = 0; cell < setting.cells.size(); ++cell)
      if (setting.cells[cell] != CellKind::pageable) watched_ |= bit(cell);
    for (std::size_t step = 0; step < steps.size(); ++step)
      if ((steps[step].effect.reads | steps[step].effect.writes) != 0) accesses_ |= bit(step);
  }

  void see(Mask done) {
    const Mask open = accesses_ & ~done;
    for (Mask rest = accesses_ & done; rest != 0 && open != 0; rest &= rest - 1)
      without_[static_cast<std::size_t>(std::countr_zero(rest))] |= open;
  }

  // Those conflicting accesses of which each was seen done without the other.
  void judge(Verdict& verdict) const {
    for (std::size_t a = 0; a < steps_.size(); ++a)
      for (std::size_t b = a + 1; b < steps_.size(); ++b) {
        const Step &first = steps_[a], &second = steps_[b];
        if ((without_[a] & bit(b)) == 0 || (without_[b] & bit(a)) == 0) continue;
        const Mask common = conflict(first.effect, second.effect);
        if (common == 0) continue;
        const bool of_threads = first.of_host && second.of_host;
        verdict.unwatched |= of_threads || (common & ~watched_) != 0;
        if (of_threads || (common & watched_) == 0) continue;
        verdict.unordered = true;
        verdict.pair = std::to_string(first.call) + " and " + std::to_string(second.call);
      }
  }

 private:
  const std::vector<Step>& steps_;
  Mask watched_ = 0;
  Mask accesses_ = 0;
  std::vector<Mask> without_;  // of each access: others that were not done when it was
};

// Level by level: all states in which as many steps have run, which the last one is the end of.
// Once accesses are known not to be ordered, bytes tell nothing more.
std::vector<State> explore(const Setting& setting, const std::vector<Step>& steps,
                           Verdict& verdict) {
  Pairs pairs{setting, steps};
  std::vector<State> level(1), next;
  for (std::size_t cell = 0; cell < setting.cells.size(); ++cell)
    if (setting.cells[cell] == CellKind::pool) level[0].values[cell] = undefined;
  for (std::size_t ran = 0; ran < steps.size(); ++ran) {
    next.clear();
    for (const State& state : level)
      for (std::size_t step = 0; step < steps.size(); ++step) {
        if ((state.done & bit(step)) != 0 || (steps[step].before & ~state.done) != 0) continue;
        State reached = state;
        reached.done |= bit(step);
        if (verdict.unordered)
          reached.values = {};
        else
          run(steps[step].effect, reached.values);
        if (std::find(next.begin(), next.end(), reached) == next.end()) next.push_back(reached);
      }
    for (const State& state : next)
      pairs.see(state.done);
    pairs.judge(verdict);
    std::swap(level, next);
  }
  return level;
}

}  // namespace

Verdict judge(const Setting& setting, std::span<const Call> program) {
  Verdict verdict;
  bool any = false;
  for (Mask choices = 0, end = 1; choices < end; ++choices) {
    Steps steps{setting, choices};
    for (std::size_t index = 0; index < program.size(); ++index)
      steps.add(program[index], index);
    end = bit(steps.open_copies());
    verdict.refused = steps.refused();
    for (const State& last : explore(setting, steps.all(), verdict)) {
      // Where copies have staged bytes is nothing that a program sees.
      Values values{};
      std::copy_n(last.values.begin(), steps.seen(), values.begin());
      if (any && values != verdict.values) verdict.bytes_differ = true;
      verdict.values = values;
      any = true;
    }
  }
  return verdict;
}

}  // namespace dlcert::driver::order
