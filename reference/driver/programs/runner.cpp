// SPDX-License-Identifier: Apache-2.0

#include "runner.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
#include <thread>

#include "threads_in_turn.hpp"

namespace dlcert::driver::programs {
namespace {

// Large enough that a device which lacks an edge can be seen in the middle of it.
constexpr std::size_t buffer_size = std::size_t{1} << 16;
constexpr std::chrono::milliseconds hold_time{2};

std::size_t threads_of(const Program& program) {
  int most = 0;
  for (const Step& step : program.steps)
    most = std::max(most, step.thread);
  return static_cast<std::size_t>(most) + 1;
}

template <class Handle>
using Handles = std::map<int, Handle>;

class Run {
 public:
  Run(const Program& program, Driver& driver)
      : program_{program}, driver_{driver}, threads_{threads_of(program)} {}

  Observation operator()() {
    make_buffers();
    for (const Step& step : program_.steps)
      on_thread(step.thread, [&] { found_.steps.push_back(act(step)); });
    end_captures();
    synchronize();
    read_buffers();
    destroy_all();
    return std::move(found_);
  }

 private:
  void on_thread(int thread, std::function<void()> action) {
    threads_.run(static_cast<std::size_t>(thread), std::move(action));
  }

  void require(Status status, std::string_view what) const {
    if (status == Status::success) return;
    throw std::runtime_error("program '" + program_.name + "': expected success of " +
                             std::string(what) + " but found " +
                             status_name(driver_.vendor(), status));
  }

  void make_buffers() {
    for (const Buffer& buffer : program_.buffers) {
      if (buffer.device == no_device) {
        buffers_.push_back(nullptr);
        continue;
      }
      require(driver_.set_device(buffer.device), "set_device");
      if (buffer.kind == MemoryKind::pageable) {
        buffers_.push_back(pageable_.emplace_back(buffer_size).data());
        continue;
      }
      void* memory = nullptr;
      require(driver_.allocate(buffer.kind, buffer_size, memory), "allocate");
      buffers_.push_back(memory);
      require(driver_.fill(memory, 0, buffer_size), "fill");
    }
    synchronize();
  }

  void synchronize() {
    for (int device = 0; device < program_.devices; ++device) {
      require(driver_.set_device(device), "set_device");
      require(driver_.synchronize_device(), "synchronize_device");
    }
  }

  // What the program left open would make everything behind it fail.
  void end_captures() {
    for (const auto& [stream, thread] : capturing_)
      on_thread(thread, [&, ended = stream] {
        Graph graph{};
        const Status status = driver_.end_capture(stream_of(ended), graph);
        if (status == Status::success) static_cast<void>(driver_.destroy_graph(graph));
      });
  }

  void read_buffers() {
    std::vector<std::uint8_t> bytes(buffer_size);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (program_.buffers[i].device == no_device) {
        found_.finals.emplace_back();
        continue;
      }
      if (program_.buffers[i].kind == MemoryKind::device)
        require(driver_.copy(bytes.data(), buffers_[i], buffer_size, CopyDirection::device_to_host),
                "copy");
      else
        std::memcpy(bytes.data(), buffers_[i], buffer_size);
      found_.finals.emplace_back(bytes.begin(), bytes.end());
    }
  }

  // Misuse may have left objects that cannot be destroyed, which is no answer of a step.
  void destroy_all() {
    for (const auto& [number, exec] : execs_)
      if (exec != GraphExec{}) static_cast<void>(driver_.destroy_graph_exec(exec));
    for (const auto& [number, graph] : graphs_)
      if (graph != Graph{}) static_cast<void>(driver_.destroy_graph(graph));
    for (const auto& [number, event] : events_)
      if (event != Event{}) static_cast<void>(driver_.destroy_event(event));
    for (const auto& [number, stream] : streams_)
      if (stream != Stream{}) static_cast<void>(driver_.destroy_stream(stream));
    for (void* const memory : allocated_)
      static_cast<void>(driver_.release(MemoryKind::device, memory));
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      if (program_.buffers[i].kind != MemoryKind::pageable)
        static_cast<void>(driver_.release(program_.buffers[i].kind, buffers_[i]));
    static_cast<void>(driver_.take_error());
  }

  Stream stream_of(int number) {
    switch (number) {
      case null_handle:
        return Stream::null;
      case legacy_stream:
        return Stream::legacy;
      case per_thread_stream:
        return Stream::per_thread;
      default:
        return streams_[number];
    }
  }
  Event event_of(int number) { return number == null_handle ? Event{} : events_[number]; }
  void* buffer_of(int number) const { return buffers_[static_cast<std::size_t>(number)]; }

  static Outcome plain(Status status) { return {.status = static_cast<int>(status)}; }
  template <class Word>
  static Outcome with_word(Status status, Word word) {
    if (status != Status::success) return plain(status);
    return {.status = 0, .word = static_cast<int>(word)};
  }

  Outcome act(const Step& step) {
    switch (step.verb) {
      case VerbName::capture_status: {
        CaptureStatus found{};
        const Status status = driver_.capture_status(stream_of(step.operands[0]), found);
        return with_word(status, found);
      }
      case VerbName::exchange_mode: {
        auto mode = static_cast<CaptureMode>(step.operands[0]);
        const Status status = driver_.exchange_capture_mode(mode);
        return with_word(status, mode);
      }
      default:
        return plain(status_of(step));
    }
  }

  Status status_of(const Step& step) {
    switch (verb_of(step.verb).operands.empty() ? OperandKind::device
                                                : verb_of(step.verb).operands[0].kind) {
      case OperandKind::stream:
        return of_stream(step);
      case OperandKind::event:
        return of_event(step);
      case OperandKind::buffer:
        return of_buffer(step);
      case OperandKind::graph:
      case OperandKind::exec:
        return of_graph(step);
      default:
        return of_device(step);
    }
  }

  Status of_stream(const Step& step) {
    const int number = step.operands[0];
    const int second = step.operands.size() > 1 ? step.operands[1] : 0;
    switch (step.verb) {
      case VerbName::create_stream:
        return driver_.create_stream(static_cast<StreamKind>(second), 0, streams_[number]);
      case VerbName::destroy_stream:
        return destroy_stream(number);
      case VerbName::hold:
        return driver_.launch_host_function(
            stream_of(number), [](void*) { std::this_thread::sleep_for(hold_time); }, nullptr);
      case VerbName::wait:
        return driver_.wait_event(stream_of(number), event_of(second));
      case VerbName::query_stream:
        return driver_.query_stream(stream_of(number));
      case VerbName::begin_capture:
        return begin_capture(step);
      case VerbName::end_capture:
        return end_capture(number, second);
      default:
        return driver_.synchronize_stream(stream_of(number));
    }
  }

  Status destroy_stream(int number) {
    const Status status = driver_.destroy_stream(streams_[number]);
    streams_.erase(number);
    capturing_.erase(number);
    return status;
  }

  Status begin_capture(const Step& step) {
    const int number = step.operands[0];
    const auto mode = static_cast<CaptureMode>(step.operands[1]);
    const Status status = driver_.begin_capture(stream_of(number), mode);
    if (status == Status::success) capturing_[number] = step.thread;
    return status;
  }

  Status end_capture(int stream, int graph) {
    const Status status = driver_.end_capture(stream_of(stream), graphs_[graph]);
    // From another thread it goes on.
    if (status != Status::capture_wrong_thread) capturing_.erase(stream);
    return status;
  }

  Status of_event(const Step& step) {
    const int number = step.operands[0];
    const Event event = event_of(number);
    float milliseconds = 0;
    switch (step.verb) {
      case VerbName::create_event:
        return driver_.create_event(static_cast<EventTiming>(step.operands[1]), events_[number]);
      case VerbName::destroy_event:
        events_.erase(number);
        return driver_.destroy_event(event);
      case VerbName::record:
        return driver_.record_event(event, stream_of(step.operands[1]));
      case VerbName::query_event:
        return driver_.query_event(event);
      case VerbName::elapsed:
        return driver_.elapsed_milliseconds(event, event_of(step.operands[1]), milliseconds);
      default:
        return driver_.synchronize_event(event);
    }
  }

  Status of_buffer(const Step& step) {
    void* const to = buffer_of(step.operands[0]);
    const int second = step.operands.size() > 1 ? step.operands[1] : 0;
    const auto value = static_cast<std::uint8_t>(second);
    const auto direction = [&] { return static_cast<CopyDirection>(step.operands[2]); };
    switch (step.verb) {
      case VerbName::allocate_async:
        return driver_.allocate_async(buffer_size, stream_of(second),
                                      buffers_[static_cast<std::size_t>(step.operands[0])]);
      case VerbName::release_async:
        return driver_.release_async(to, stream_of(second));
      case VerbName::release:
        return driver_.release(MemoryKind::device, to);
      case VerbName::fill:
        return driver_.fill_async(to, value, buffer_size, stream_of(step.operands[2]));
      case VerbName::copy:
        return driver_.copy_async(to, buffer_of(second), buffer_size, CopyDirection::inferred,
                                  stream_of(step.operands[2]));
      case VerbName::copy_as:
        return driver_.copy_async(to, buffer_of(second), buffer_size, direction(),
                                  stream_of(step.operands[3]));
      case VerbName::blocking_copy_as:
        return driver_.copy(to, buffer_of(second), buffer_size, direction());
      case VerbName::host_fill:
        std::memset(to, value, buffer_size);
        return Status::success;
      case VerbName::blocking_fill:
        return driver_.fill(to, value, buffer_size);
      default:
        return driver_.copy(to, buffer_of(second), buffer_size, CopyDirection::inferred);
    }
  }

  Status of_graph(const Step& step) {
    const int number = step.operands[0];
    switch (step.verb) {
      case VerbName::instantiate:
        return driver_.instantiate(graphs_[step.operands[1]], execs_[number]);
      case VerbName::launch_graph:
        return driver_.launch_graph(execs_[number], stream_of(step.operands[1]));
      case VerbName::destroy_graph: {
        const Graph graph = graphs_[number];
        graphs_.erase(number);
        return driver_.destroy_graph(graph);
      }
      default: {
        const GraphExec exec = execs_[number];
        execs_.erase(number);
        return driver_.destroy_graph_exec(exec);
      }
    }
  }

  Status of_device(const Step& step) {
    switch (step.verb) {
      case VerbName::set_device:
        return driver_.set_device(step.operands[0]);
      case VerbName::allocate:
        return allocate();
      case VerbName::take_error:
        return driver_.take_error();
      case VerbName::peek_error:
        return driver_.peek_error();
      default:
        return driver_.synchronize_device();
    }
  }

  Status allocate() {
    void* memory = nullptr;
    const Status status = driver_.allocate(MemoryKind::device, buffer_size, memory);
    if (status == Status::success) allocated_.push_back(memory);
    return status;
  }

  const Program& program_;
  Driver& driver_;
  Observation found_;
  std::vector<void*> buffers_;
  std::deque<std::vector<std::uint8_t>> pageable_;
  std::vector<void*> allocated_;
  Handles<Stream> streams_;
  Handles<Event> events_;
  Handles<Graph> graphs_;
  Handles<GraphExec> execs_;
  std::map<int, int> capturing_;  // streams that began, each with its thread
  ThreadsInTurn threads_;         // last: its threads end before what they use
};

std::string line(std::string_view file, int number, std::string_view what,
                 std::string_view recorded, std::string_view found) {
  std::string text{file};
  return text.append(":" + std::to_string(number) + ": ")
      .append(what)
      .append(": recorded ")
      .append(recorded)
      .append(" but found ")
      .append(found);
}

}  // namespace

Observation run(const Program& program, Driver& driver) {
  return Run{program, driver}();
}

std::vector<std::string> disagreements(std::string_view file, const Program& program,
                                       const Observation& found, Vendor vendor) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.recorded.contains(found.steps.at(i))) continue;
    lines.push_back(line(file, step.line, function_of(vendor, step.verb),
                         to_text(step.verb, step.recorded), to_text(step.verb, {found.steps[i]})));
  }
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& buffer = program.buffers[i];
    if (std::ranges::includes(buffer.recorded, found.finals.at(i))) continue;
    lines.push_back(line(file, buffer.line, "final b" + std::to_string(i), to_text(buffer.recorded),
                         to_text(found.finals[i])));
  }
  return lines;
}

std::vector<std::string> check(std::string_view file, const Program& program, Driver& driver) {
  try {
    return disagreements(file, program, run(program, driver), driver.vendor());
  } catch (const std::runtime_error& error) {
    return {std::string(file) + ":" + std::to_string(program.line) + ": " + error.what()};
  }
}

}  // namespace dlcert::driver::programs
