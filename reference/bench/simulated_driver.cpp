// SPDX-License-Identifier: Apache-2.0
//
// Operations per second of the simulated driver, races looked for. A fifth of them record and wait
// for events; the others are launches that write one of the buffers as a whole.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "dlcert/driver/simulated.hpp"

namespace {

using namespace dlcert::driver;  // NOLINT(google-build-using-namespace)

void must(Status status) {
  if (status != Status::success) std::abort();
}

class Program {
 public:
  Program(Schedule schedule, std::size_t streams, std::size_t buffers) {
    driver_.restart({.memory_per_device = std::uint64_t{1} << 30, .schedule = schedule});
    for (std::size_t i = 0; i < streams; ++i) {
      must(driver_.create_stream(StreamKind::non_blocking, 0, streams_.emplace_back()));
      must(driver_.create_event(EventTiming::disabled, events_.emplace_back()));
    }
    for (std::size_t i = 0; i < buffers; ++i) {
      void* memory = nullptr;
      must(driver_.allocate(MemoryKind::device, size, memory));
      accesses_.push_back(
          {AccessKind::write, {reinterpret_cast<std::uintptr_t>(memory), size, {}}});
    }
  }

  // One operation. Each stream has buffers of its own, and streams wait for each other in pairs.
  void step() {
    const std::size_t stream = next() % streams_.size();
    if (next() % 10 == 0) {
      const std::size_t other = (stream + 1) % streams_.size();
      must(driver_.record_event(events_[stream], streams_[stream]));
      must(driver_.wait_event(streams_[other], events_[stream]));
      operations += 2;
      return;
    }
    const std::size_t own = accesses_.size() / streams_.size();
    const std::size_t buffer = own == 0 ? stream % accesses_.size() : stream * own + next() % own;
    must(driver_.launch("kernel", streams_[stream], {&accesses_[buffer], 1}));
    ++operations;
  }
  void finish() { must(driver_.synchronize_device()); }

  std::int64_t operations = 0;

 private:
  static constexpr std::size_t size = 4096;

  std::uint64_t next() { return random_(); }

  SimulatedDriver& driver_ = simulated_driver();
  std::minstd_rand random_{1};
  std::vector<Stream> streams_;
  std::vector<Event> events_;
  std::vector<SimulatedDriver::Access> accesses_;
};

void operations(benchmark::State& state, Schedule schedule) {
  Program program{schedule, static_cast<std::size_t>(state.range(0)),
                  static_cast<std::size_t>(state.range(1))};
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i)
      program.step();
    program.finish();
  }
  state.SetItemsProcessed(program.operations);
}
BENCHMARK_CAPTURE(operations, eager, Schedule::eager)->Args({64, 256})->Args({10'000, 10'000});
BENCHMARK_CAPTURE(operations, late, Schedule::late)->Args({64, 256})->Args({10'000, 10'000});
BENCHMARK_CAPTURE(operations, seeded, Schedule::seeded)->Args({64, 256});

// Submits all operations before any of them runs.
void queued(benchmark::State& state) {
  Program program{Schedule::late, 64, 256};
  for (auto _ : state) {
    for (std::int64_t i = 0; i < state.range(0); ++i)
      program.step();
    program.finish();
  }
  state.SetItemsProcessed(program.operations);
}
BENCHMARK(queued)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
