// SPDX-License-Identifier: Apache-2.0

#include "recorder.hpp"

#include "dlcert/driver/simulated.hpp"

#include "runner.hpp"

namespace dlcert::driver::programs {
namespace {

constexpr int seeds = 100;
constexpr int devices = 2;

void add(Program& program, const Observation& found) {
  for (std::size_t i = 0; i < program.steps.size(); ++i)
    program.steps[i].recorded.insert(found.steps[i]);
  for (std::size_t i = 0; i < program.buffers.size(); ++i)
    program.buffers[i].recorded.insert(found.finals[i].begin(), found.finals[i].end());
}

void forget(Program& program) {
  for (Step& step : program.steps)
    step.recorded.clear();
  for (Buffer& buffer : program.buffers)
    buffer.recorded.clear();
}

// Nothing that is asked for may count on work being unfinished.
void allow_ready(Program& program) {
  for (Step& step : program.steps) {
    const bool asks = step.verb == VerbName::query_stream || step.verb == VerbName::query_event ||
                      step.verb == VerbName::elapsed || step.verb == VerbName::take_error ||
                      step.verb == VerbName::peek_error;
    if (asks && step.recorded.contains({.status = static_cast<int>(Status::not_ready)}))
      step.recorded.insert(Outcome{});
  }
}

}  // namespace

bool record(Program& program) {
  bool has_races = false;
  SimulatedDriver& driver = simulated_driver();
  forget(program);
  SimulatedOptions options{.devices = devices, .memory_per_device = std::uint64_t{1} << 24};
  const auto run_under = [&](Schedule schedule, std::uint64_t seed) {
    options.schedule = schedule;
    options.seed = seed;
    driver.restart(options);
    add(program, run(program, driver));
    has_races |= !driver.take_races().empty();
  };
  run_under(Schedule::eager, 1);
  run_under(Schedule::late, 1);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    run_under(Schedule::seeded, seed);
  allow_ready(program);
  return !has_races;
}

}  // namespace dlcert::driver::programs
