// SPDX-License-Identifier: Apache-2.0
//
// Random programs of several threads, devices, streams and events, run by the simulated driver and
// judged by the oracle: a race is reported when there is one, none is invented, and programs
// without races end with the same bytes under every schedule. So it is where the threads share what
// they know, and where each has waited for itself.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>

#include "dlcert/driver/simulated.hpp"

#include "../programs/threads_in_turn.hpp"
#include "order_oracle.hpp"

namespace dlcert::driver {
namespace {

constexpr int actors = 3;  // threads
constexpr int devices = 2;
constexpr int streams_per_device = 3;  // the second one does not block
constexpr int events_per_device = 2;
constexpr int buffers = 2;
constexpr std::size_t size = 32;
constexpr int program_size = 30;  // commands at most

enum class Kind : std::uint8_t {
  set_device,
  write,
  read,
  copy,
  record,
  wait,
  synchronize_stream,
  synchronize_event,
  synchronize_device,
  query_stream,
  host_read,
  renew_stream,
};

struct Command {
  Kind kind;
  int thread;
  int device;
  int stream;  // 0 legacy, 1 per thread, then the created ones of the device
  int event;
  int first;  // buffers
  int second;
};

std::ostream& operator<<(std::ostream& out, const Command& command) {
  constexpr std::array names{"set_device",
                             "write",
                             "read",
                             "copy",
                             "record",
                             "wait",
                             "synchronize_stream",
                             "synchronize_event",
                             "synchronize_device",
                             "query_stream",
                             "host_read",
                             "renew_stream"};
  return out << names[static_cast<std::size_t>(command.kind)] << "(thread " << command.thread
             << ", device " << command.device << ", stream " << command.stream << ", event "
             << command.event << ", buffers " << command.first << " " << command.second << ")";
}

// Any number below `end`, whatever the size of the program: RapidCheck would keep to small ones.
rc::Gen<int> below(int end) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, end));
}

rc::Gen<Command> any_command() {
  return rc::gen::build<Command>(
      rc::gen::set(&Command::kind, rc::gen::weightedElement<Kind>({{1, Kind::set_device},
                                                                   {6, Kind::write},
                                                                   {4, Kind::read},
                                                                   {4, Kind::copy},
                                                                   {5, Kind::record},
                                                                   {6, Kind::wait},
                                                                   {1, Kind::synchronize_stream},
                                                                   {1, Kind::synchronize_event},
                                                                   {1, Kind::synchronize_device},
                                                                   {1, Kind::query_stream},
                                                                   {1, Kind::host_read},
                                                                   {2, Kind::renew_stream}})),
      rc::gen::set(&Command::thread, below(actors)), rc::gen::set(&Command::device, below(devices)),
      rc::gen::set(&Command::stream, below(2 + streams_per_device)),
      rc::gen::set(&Command::event, below(events_per_device)),
      rc::gen::set(&Command::first, below(buffers)),
      rc::gen::set(&Command::second, below(buffers)));
}

struct Outcome {
  bool expected_race = false;
  std::vector<Race> races;
  std::vector<std::vector<int>> bytes;  // of each buffer at the end
};

enum class Threads : bool { together, apart };

// One program in a fresh world.
class Run {
 public:
  Run(const SimulatedOptions& options, Threads threads) : threads_{threads} {
    driver_.restart(options);
    for (int device = 0; device < devices; ++device)
      make_objects(device);
    driver_.set_threads_apart(threads == Threads::apart);
  }

  Outcome operator()(const std::vector<Command>& program) {
    ThreadsInTurn acting{actors};
    for (const Command& command : program)
      acting.run(static_cast<std::size_t>(command.thread), [&] { act(command); });
    for (int device = 0; device < devices; ++device) {
      check(driver_.set_device(device));
      check(driver_.synchronize_device());
    }
    outcome_.races = driver_.take_races();
    for (const std::byte* buffer : buffers_) {
      std::vector<int>& bytes = outcome_.bytes.emplace_back();
      for (std::size_t i = 0; i < size; ++i)
        bytes.push_back(std::to_integer<int>(driver_.view(buffer)[i]));
    }
    return outcome_;
  }

 private:
  struct TouchedBy {
    OrderOracle::Node node;
    bool write;
  };
  struct Created {
    Stream handle{};
    int key = 0;
  };
  struct Recorded {
    Event handle{};
    std::optional<OrderOracle::Node> node = {};
  };

  static void check(Status status) { RC_ASSERT(status == Status::success); }

  void make_objects(int device) {
    check(driver_.set_device(device));
    oracle_.add_stream(key(device, 0, 0), {device, true, false});
    for (int thread = 0; thread < actors; ++thread)
      oracle_.add_stream(key(device, 1, thread), {device, false, true});
    for (int i = 0; i < streams_per_device; ++i) {
      streams_[device].emplace_back();
      make_stream(device, static_cast<std::size_t>(i));
    }
    for (int i = 0; i < events_per_device; ++i) {
      Recorded made;
      check(driver_.create_event(EventTiming::disabled, made.handle));
      events_[device].push_back(made);
    }
    for (int i = 0; device == 0 && i < buffers; ++i) {
      void* memory = nullptr;
      check(driver_.allocate(MemoryKind::device, size, memory));
      check(driver_.fill(memory, 0, size));
      buffers_.push_back(static_cast<std::byte*>(memory));
    }
    check(driver_.synchronize_device());
  }

  // On the current device.
  void make_stream(int device, std::size_t index) {
    Created& made = streams_[device][index];
    const bool blocking = index != 1;
    check(driver_.create_stream(blocking ? StreamKind::blocking : StreamKind::non_blocking, 0,
                                made.handle));
    made.key = next_key_++;
    oracle_.add_stream(made.key, {device, false, blocking});
  }

  int key(int device, int stream, int thread) const {
    if (stream >= 2) return streams_.at(device)[static_cast<std::size_t>(stream) - 2].key;
    return (device * 2 + stream) * actors + (stream == 1 ? thread : 0);
  }
  // Default streams are those of the thread's device, the others of the command's.
  int device_of(const Command& command) const {
    return command.stream < 2 ? current_[static_cast<std::size_t>(command.thread)] : command.device;
  }
  int key_of(const Command& command) const {
    return key(device_of(command), command.stream, command.thread);
  }
  Stream stream_of(const Command& command) {
    if (command.stream < 2) return command.stream == 0 ? Stream::legacy : Stream::per_thread;
    return streams_[command.device][static_cast<std::size_t>(command.stream) - 2].handle;
  }
  Recorded& event_of(const Command& command) {
    return events_[device_of(command)][static_cast<std::size_t>(command.event)];
  }
  std::byte* buffer(int index) { return buffers_[static_cast<std::size_t>(index)]; }

  void touch(int index, OrderOracle::Node node, bool write) {
    std::vector<TouchedBy>& touched = touched_[index];
    for (const TouchedBy& earlier : touched)
      if ((write || earlier.write) && !oracle_.is_before(earlier.node, node))
        outcome_.expected_race = true;
    touched.push_back({node, write});
  }

  void act(const Command& command) {
    if (threads_ == Threads::apart) oracle_.act_as(command.thread);
    const Stream stream = stream_of(command);
    Recorded& event = event_of(command);
    std::byte* const first = buffer(command.first);
    std::byte* const second = buffer(command.second);
    switch (command.kind) {
      case Kind::set_device:
        check(driver_.set_device(command.device));
        current_[static_cast<std::size_t>(command.thread)] = command.device;
        return;
      case Kind::write:
        check(driver_.fill_async(first, ++value_, size, stream));
        return touch(command.first, oracle_.submit(key_of(command)), true);
      case Kind::read: {
        const SimulatedDriver::Access access{AccessKind::read,
                                             {reinterpret_cast<std::uintptr_t>(first), size, {}}};
        if (device_of(command) != current_[static_cast<std::size_t>(command.thread)]) return;
        check(driver_.launch("reader", stream, {&access, 1}));
        return touch(command.first, oracle_.submit(key_of(command)), false);
      }
      case Kind::copy: {
        if (command.first == command.second) return;
        check(driver_.copy_async(second, first, size, CopyDirection::inferred, stream));
        const OrderOracle::Node node = oracle_.submit(key_of(command));
        touch(command.first, node, false);
        return touch(command.second, node, true);
      }
      case Kind::record:
        check(driver_.record_event(event.handle, stream));
        event.node = oracle_.submit(key_of(command));
        return;
      case Kind::wait:
        check(driver_.wait_event(stream, event.handle));
        if (event.node) oracle_.wait(key_of(command), *event.node);
        if (!event.node) return;
        oracle_.submit(key_of(command));
        return;
      case Kind::synchronize_stream:
        check(driver_.synchronize_stream(stream));
        return oracle_.host_waits_for_stream(key_of(command));
      case Kind::synchronize_event:
        check(driver_.synchronize_event(event.handle));
        if (event.node) oracle_.host_waits(*event.node);
        return;
      case Kind::synchronize_device:
        return synchronize_device(current_[static_cast<std::size_t>(command.thread)]);
      case Kind::query_stream:
        if (driver_.query_stream(stream) == Status::success)
          oracle_.host_waits_for_stream(key_of(command));
        return;
      case Kind::host_read:
        driver_.host_access(
            "host", {AccessKind::read, {reinterpret_cast<std::uintptr_t>(first), size, {}}});
        return touch(command.first, oracle_.host_step(), false);
      case Kind::renew_stream:
        return renew_stream(command);
    }
  }

  void renew_stream(const Command& command) {
    if (command.stream < 2) return;
    const auto thread = static_cast<std::size_t>(command.thread);
    check(driver_.destroy_stream(stream_of(command)));
    check(driver_.set_device(command.device));
    make_stream(command.device, static_cast<std::size_t>(command.stream) - 2);
    check(driver_.set_device(current_[thread]));
  }

  // With the streams that were destroyed.
  void synchronize_device(int device) {
    check(driver_.synchronize_device());
    oracle_.host_waits_for_device(device);
  }

  SimulatedDriver& driver_ = simulated_driver();
  const Threads threads_;
  OrderOracle oracle_;
  std::array<int, actors> current_{};
  std::map<int, std::vector<Created>> streams_;
  int next_key_ = 1000;  // beyond those of default streams
  std::map<int, std::vector<Recorded>> events_;
  std::vector<std::byte*> buffers_;
  std::map<int, std::vector<TouchedBy>> touched_;
  std::uint8_t value_ = 0;
  Outcome outcome_;
};

SimulatedOptions world(Schedule schedule, std::uint64_t seed = 1) {
  return {.devices = devices,
          .memory_per_device = std::uint64_t{1} << 24,
          .schedule = schedule,
          .seed = seed};
}

// Gives whether the program has a race.
bool agrees_with_the_oracle(const std::vector<Command>& program, Threads threads) {
  const Outcome late = Run{world(Schedule::late), threads}(program);
  RC_ASSERT(late.races.empty() != late.expected_race);
  const Outcome eager = Run{world(Schedule::eager), threads}(program);
  RC_ASSERT(eager.races.empty() != eager.expected_race);
  const Outcome seeded =
      Run{world(Schedule::seeded, *rc::gen::arbitrary<std::uint64_t>()), threads}(program);
  RC_ASSERT(seeded.races.empty() != seeded.expected_race);
  if (late.expected_race || eager.expected_race || seeded.expected_race) return true;
  RC_ASSERT(late.bytes == eager.bytes);
  RC_ASSERT(late.bytes == seeded.bytes);
  return false;
}

void expect_agreement(Threads threads, int programs_per_case) {
  int programs = 0, with_races = 0;
  const auto program =
      rc::gen::resize(program_size, rc::gen::container<std::vector<Command>>(any_command()));
  // Short programs find as much, and more of them fit into the time.
  EXPECT_TRUE(rc::check("the simulated driver agrees with the oracle", [&] {
    for (int i = 0; i < programs_per_case; ++i) {
      with_races += agrees_with_the_oracle(*program, threads) ? 1 : 0;
      ++programs;
    }
  }));
  EXPECT_GT(with_races, programs / 10);
  EXPECT_LT(with_races, programs - programs / 10);
}

TEST(SimulatedModel, AgreesWithTheOracle) {
  expect_agreement(Threads::together, 20);
}

TEST(SimulatedModel, AgreesWithTheOracleWhereThreadsAreApart) {
  expect_agreement(Threads::apart, 10);
}

}  // namespace
}  // namespace dlcert::driver
