// SPDX-License-Identifier: Apache-2.0
#include "testbench/threads.hpp"

#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <system_error>

namespace dlcert::testbench {

namespace {

constexpr std::chrono::seconds thread_patience{5};

// How far the threads have come. They own it together, as some may outlive the case's interest.
struct ThreadProgress {
  explicit ThreadProgress(std::size_t threads) : start{static_cast<std::ptrdiff_t>(threads)} {}

  std::barrier<> start;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t ended = 0;
  std::exception_ptr thrown;
};

void run_at_start(const std::shared_ptr<ThreadProgress>& progress,
                  const std::function<void()>& action) {
  std::exception_ptr thrown;
  progress->start.arrive_and_wait();
  try {
    action();
  } catch (...) {
    thrown = std::current_exception();
  }
  const std::scoped_lock lock{progress->mutex};
  if (!progress->thrown) progress->thrown = thrown;
  ++progress->ended;
  progress->changed.notify_one();
}

}  // namespace

void require_thread_safe(const Case& c) {
  if (!c.subject().declares(DLCERT_THREAD_SAFE)) throw NotClaimed{"calls by several threads"};
}

void all_at_once(const std::vector<std::function<void()>>& actions) {
  const auto progress = std::make_shared<ThreadProgress>(actions.size());
  std::vector<std::thread> threads;
  threads.reserve(actions.size());
  try {
    for (const std::function<void()>& action : actions)
      threads.emplace_back([progress, action] { run_at_start(progress, action); });
  } catch (const std::system_error&) {  // not so many are to be had: those that are go on
    for (std::size_t missing = actions.size() - threads.size(); missing != 0; --missing)
      progress->start.arrive_and_drop();
  }
  const std::size_t started = threads.size();
  std::size_t ended = 0;
  {
    std::unique_lock lock{progress->mutex};
    progress->changed.wait_for(lock, thread_patience, [&] { return progress->ended == started; });
    ended = progress->ended;
  }
  for (std::thread& thread : threads) {
    if (ended == started)
      thread.join();
    else
      thread.detach();
  }
  expect(ended == started, "{} of {} threads have not returned after {} s", started - ended,
         started, thread_patience.count());
  if (started != actions.size()) throw NotJudged{"so many threads are not to be had"};
  if (progress->thrown) std::rethrow_exception(progress->thrown);
}

}  // namespace dlcert::testbench
