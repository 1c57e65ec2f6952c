// SPDX-License-Identifier: Apache-2.0
//
// Random programs without what the manuals call undefined: no handle is used after its end, no
// graph that was not made.

#include <array>
#include <random>

#include "recorder.hpp"

namespace dlcert::driver::programs {
namespace {

constexpr int threads = 2;
constexpr int streams = 3;  // the last one does not block
constexpr int events = 2;
constexpr int buffers = 2;
constexpr int longest = 10;

// By hand, since what the library's distributions give differs between libraries.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_{seed} {}
  int below(int end) { return static_cast<int>(random_() % static_cast<std::uint64_t>(end)); }
  template <std::size_t size>
  VerbName one_of(const std::array<VerbName, size>& verbs) {
    return verbs.at(static_cast<std::size_t>(below(static_cast<int>(size))));
  }

 private:
  std::mt19937_64 random_;
};

using enum VerbName;

// A verb that is more often here is drawn more often.
constexpr std::array anywhere{fill,
                              fill,
                              fill,
                              copy,
                              copy,
                              record,
                              record,
                              wait,
                              wait,
                              wait,
                              hold,
                              query_stream,
                              query_event,
                              synchronize_stream,
                              synchronize_event,
                              synchronize_device};
constexpr std::array while_capturing{fill,
                                     copy,
                                     record,
                                     record,
                                     wait,
                                     wait,
                                     query_stream,
                                     query_event,
                                     allocate,
                                     synchronize_stream,
                                     synchronize_event,
                                     capture_status,
                                     capture_status};
constexpr std::array captured{fill, fill, copy};

class Generator {
 public:
  Generator(std::uint64_t seed, int number)
      : dice_{seed * 1'000'003 + static_cast<std::uint64_t>(number)} {
    program_.name = "seed_" + std::to_string(seed) + "_" + std::to_string(number);
  }

  Program operator()() {
    const int kind = dice_.below(3);
    program_.devices = kind == 2 ? 1 : 1 + dice_.below(2);
    for (int i = 0; i < buffers; ++i)
      program_.buffers.push_back({.line = 0, .device = i % program_.devices, .recorded = {}});
    make_objects();
    switch (kind) {
      case 0:
        draw(longest, anywhere);
        break;
      case 1:
        misuse_a_capture();
        break;
      default:
        replay_a_capture();
        break;
    }
    return std::move(program_);
  }

 private:
  void add(int thread, VerbName verb, std::vector<int> operands) {
    program_.steps.push_back({.line = 0,
                              .thread = thread,
                              .verb = verb,
                              .operands = std::move(operands),
                              .recorded = {}});
  }

  void make_objects() {
    for (int i = 0; i < streams; ++i)
      add(0, create_stream, {i, i == streams - 1 ? 1 : 0});
    add(0, create_event, {0, 1});
    if (program_.devices > 1) add(0, set_device, {1});
    add(0, create_event, {1, 1});
    if (program_.devices > 1) add(0, create_stream, {streams, 0});
  }

  int any_stream() {
    const int created = streams + program_.devices - 1;
    const int drawn = dice_.below(created + 2);
    return drawn < created ? drawn : drawn == created ? legacy_stream : per_thread_stream;
  }
  int any_event() { return dice_.below(events); }

  // The last stream of two devices is the second one's, and so are the default streams of thread 0.
  int device_of(int stream, int thread) const {
    if (program_.devices == 1) return 0;
    return stream == streams || (stream < 0 && thread == 0) ? 1 : 0;
  }

  std::vector<int> operands_of(VerbName verb, int thread) {
    std::vector<int> drawn;
    for (const Operand& operand : verb_of(verb).operands)
      drawn.push_back(operand.kind == OperandKind::stream  ? any_stream()
                      : operand.kind == OperandKind::event ? any_event()
                      : operand.kind == OperandKind::value ? ++value_
                                                           : dice_.below(buffers));
    if (verb == copy) drawn[1] = (drawn[0] + 1) % buffers;
    // Whether a device may fill another's memory is not asked here.
    if (verb == fill && program_.devices > 1) drawn[0] = device_of(drawn[2], thread);
    return drawn;
  }

  template <std::size_t size>
  void draw(int most, const std::array<VerbName, size>& verbs) {
    for (int left = 3 + dice_.below(most - 2); left > 0; --left) {
      const VerbName verb = dice_.one_of(verbs);
      const int thread = dice_.below(threads);
      add(thread, verb, operands_of(verb, thread));
    }
  }

  // On a stream or two, each step on one of them.
  template <std::size_t size>
  void draw_on(int first, int second, const std::array<VerbName, size>& verbs) {
    for (int left = 2 + dice_.below(3); left > 0; --left) {
      const VerbName verb = dice_.one_of(verbs);
      std::vector<int> operands = operands_of(verb, 0);
      operands.back() = dice_.below(2) == 0 ? first : second;
      add(0, verb, std::move(operands));
    }
  }

  void misuse_a_capture() {
    draw(4, anywhere);
    const int stream = dice_.below(streams);
    const int mode = dice_.below(3);
    add(dice_.below(threads), begin_capture, {stream, mode});
    draw(5, while_capturing);
    for (int thread = 0; thread < threads; ++thread)
      add(thread, capture_status, {stream});
    add(dice_.below(threads), end_capture, {stream, 0});
    draw(4, anywhere);
  }

  // The other stream is forked from the first and joins it again.
  void replay_a_capture() {
    const int stream = dice_.below(streams), other = (stream + 1) % streams;
    draw(4, anywhere);
    add(0, create_event, {events, 1});
    add(0, create_event, {events + 1, 1});
    add(0, begin_capture, {stream, 2});
    add(0, record, {events, stream});
    add(0, wait, {other, events});
    draw_on(stream, other, captured);
    add(0, record, {events + 1, other});
    add(0, wait, {stream, events + 1});
    add(0, end_capture, {stream, 0});
    add(0, instantiate, {0, 0});
    add(0, launch_graph, {0, any_stream()});
    draw(4, anywhere);
    add(0, launch_graph, {0, stream});
  }

  Dice dice_;
  Program program_;
  int value_ = 0;
};

}  // namespace

Program generate(std::uint64_t seed, int number) {
  return Generator{seed, number}();
}

bool depends_on_order(const Program& program) {
  std::set<int> busy_streams;
  int touches = 0;
  for (const Step& step : program.steps) {
    if (step.verb != fill && step.verb != copy) continue;
    busy_streams.insert(step.operands.back());
    ++touches;
  }
  return touches >= 3 && busy_streams.size() >= 2;
}

}  // namespace dlcert::driver::programs
