// SPDX-License-Identifier: Apache-2.0
//
// Initialization by several threads, and from within itself.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <iterator>
#include <thread>

#include "registration.hpp"
#include "runtime/calls.hpp"
#include "runtime/support.hpp"
#include "testbench/environment.hpp"
#include "testbench/errors.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(concurrency)

namespace {

using testbench::ArrangedEnvironment;

constexpr std::chrono::milliseconds head_start{2};

// ---- once ---------------------------------------------------------------------------------------

DLCERT_CHECK(later_initialization_does_nothing,
             on_both_vendors(in_fresh_process("runtime.init.idempotent-threadsafe",
                                              "a second initialization does nothing", 1))) {
  ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  Journal journal;
  queue_entry(runtime, journal, 1);
  require(runtime.initialize(), "initialize");
  static_cast<void>(arranged.runtime_calls());
  require(runtime.initialize(), "a second initialize");
  expect_equal("calls of the driver by a second initialize", std::size_t{0},
               arranged.runtime_calls().size());
  expect_equal("queued calls that have run", std::vector<std::int64_t>{1}, journal.entries());
}

DLCERT_CHECK(concurrent_initialization_runs_once,
             on_cuda(in_fresh_process("runtime.init.idempotent-threadsafe",
                                      "threads that initialize at once do so once"))) {
  require_thread_safe(c);
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  Journal journal;
  const std::int64_t calls = c.draw.between(1, 4);
  std::vector<std::int64_t> expected;
  for (std::int64_t entry = 1; entry <= calls; ++entry) {
    queue_entry(runtime, journal, static_cast<int>(entry));
    expected.push_back(entry);
  }
  const auto initialize = [&] {
    require(runtime.initialize(), "initialize");
    expect_initialized(runtime, true, "in a thread whose initialize has returned");
  };
  all_at_once({static_cast<std::size_t>(c.draw.between(2, 16)), initialize});
  expect_equal("queued calls that have run", expected, journal.entries());
}

// For two seconds at most: a machine may be busy.
void wait_for(const std::atomic<bool>& flag) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{2};
  while (!flag && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
}

DLCERT_CHECK(others_wait_for_the_end,
             if_touched(on_both_vendors(
                 in_fresh_process("runtime.init.reentrant",
                                  "other threads wait until initialization has ended", 1)))) {
  require_thread_safe(c);
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  std::atomic<bool> inside{false};
  std::atomic<bool> second_calls{false};
  std::atomic<bool> second_was_in_time{false};
  std::atomic<bool> at_end{false};
  require(runtime.queue(DLCERT_CALL_PLAIN,
                        [&]() -> std::optional<Error> {
                          inside = true;
                          wait_for(second_calls);
                          std::this_thread::sleep_for(10 * head_start);
                          second_was_in_time = second_calls.load();
                          at_end = true;
                          return std::nullopt;
                        }),
          "queue");
  const auto initialize_second = [&] {
    while (!inside)
      std::this_thread::yield();
    second_calls = true;
    require(runtime.initialize(), "initialize while another thread is at it");
    expect(at_end, "initialize returned while another thread was still initializing");
  };
  all_at_once({[&] { require(runtime.initialize(), "initialize"); }, initialize_second});
  if (!second_was_in_time) throw NotJudged{"the second thread did not run in time"};
  c.touched();
}

// ---- from within --------------------------------------------------------------------------------

DLCERT_CHECK(queued_calls_may_initialize,
             on_both_vendors(in_fresh_process("runtime.init.reentrant",
                                              "a queued call may initialize", 2))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  Journal journal;
  const bool by_use = c.row == 1;
  queue_entry(runtime, journal, 1);
  require(runtime.queue(DLCERT_CALL_PLAIN,
                        [&]() -> std::optional<Error> {
                          if (by_use)
                            require(runtime.current_device_index(), "current_device_index inside");
                          else
                            require(runtime.initialize(), "initialize inside");
                          journal.write(2);
                          return std::nullopt;
                        }),
          "queue");
  queue_entry(runtime, journal, 3);
  all_at_once({[&] { require(runtime.initialize(), "initialize"); }});
  expect_equal("queued calls that have run", std::vector<std::int64_t>{1, 2, 3}, journal.entries());
  expect_initialized(runtime, true, "after initialize");
}

// ---- the state ----------------------------------------------------------------------------------

DLCERT_CHECK(uninitialized_while_calls_run,
             if_touched(on_both_vendors(
                 in_fresh_process("runtime.init.state-flag",
                                  "nothing counts as initialized while queued calls run", 1)))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  bool ran = false;
  require(runtime.queue(DLCERT_CALL_PLAIN,
                        [&]() -> std::optional<Error> {
                          ran = true;
                          expect_initialized(runtime, false, "while queued calls run");
                          return std::nullopt;
                        }),
          "queue");
  require(runtime.initialize(), "initialize");
  testbench::touched_if(c, ran, "the queued call did not run");
  expect_initialized(runtime, true, "after initialize");
}

// ---- interleavings ------------------------------------------------------------------------------

enum class Step : std::uint8_t { queue, initialize, use, ask };

struct Script {
  std::vector<Step> steps;
};

// The entries of a thread, in the order in which it queued them.
constexpr int entries_per_thread = 100;

void perform(const GpuRuntime& runtime, Journal& plain, const Script& script, int thread) {
  int entry = thread * entries_per_thread;
  for (const Step step : script.steps) {
    switch (step) {
      case Step::queue:
        queue_entry(runtime, plain, ++entry);
        break;
      case Step::initialize:
        require(runtime.initialize(), "initialize");
        expect_initialized(runtime, true, "in a thread whose initialize has returned");
        break;
      case Step::use:
        require(runtime.current_device_index(), "current_device_index");
        break;
      case Step::ask:
        require(runtime.is_initialized(), "is_initialized");
        break;
    }
  }
}

std::vector<Script> draw_scripts(Case& c) {
  std::vector<Script> scripts(static_cast<std::size_t>(c.draw.between(2, 6)));
  for (Script& script : scripts) {
    const std::int64_t steps = c.draw.between(1, 12);
    for (std::int64_t i = 0; i < steps; ++i)
      script.steps.push_back(static_cast<Step>(c.draw.below(4)));
  }
  return scripts;
}

// Returns whether `found` has only entries of `expected`, each at most once and in its order.
bool in_order_and_once(const std::vector<std::int64_t>& found,
                       const std::vector<std::int64_t>& expected) {
  return std::ranges::adjacent_find(found, std::ranges::greater_equal{}) == found.end() &&
         std::ranges::all_of(
             found, [&](std::int64_t entry) { return std::ranges::count(expected, entry) != 0; });
}

// A call may be lost if another thread initializes meanwhile: torch 2.4 takes no lock there.
void expect_once_at_most(Case& c, const std::vector<Script>& scripts, const Journal& plain) {
  for (std::size_t thread = 0; thread < scripts.size(); ++thread) {
    std::vector<std::int64_t> expected;
    std::int64_t entry = static_cast<std::int64_t>(thread) * entries_per_thread;
    for (const Step step : scripts[thread].steps) {
      if (step == Step::queue) expected.push_back(++entry);
    }
    std::vector<std::int64_t> found;
    std::ranges::copy_if(plain.entries(), std::back_inserter(found), [&](std::int64_t each) {
      return each / entries_per_thread == static_cast<std::int64_t>(thread);
    });
    if (found.size() < expected.size()) c.observe("a queued call did not run");
    expect(in_order_and_once(found, expected),
           "calls of thread {} that have run: expected some of {}, once and in their order, but "
           "found {}",
           thread, dlcert::to_text(expected), dlcert::to_text(found));
  }
}

DLCERT_CHECK(
    no_call_runs_twice,
    on_cuda(in_fresh_process("runtime.init.idempotent-threadsafe",
                             "what several threads queue runs once at most and in their order"))) {
  require_thread_safe(c);
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  const std::vector<Script> scripts = draw_scripts(c);
  Journal plain;
  std::vector<std::function<void()>> actions;
  for (std::size_t thread = 0; thread < scripts.size(); ++thread)
    actions.emplace_back(
        [&, thread] { perform(runtime, plain, scripts[thread], static_cast<int>(thread)); });
  all_at_once(actions);
  require(runtime.initialize(), "initialize after all threads");
  expect_once_at_most(c, scripts, plain);
}

}  // namespace
}  // namespace dlcert::runtime
