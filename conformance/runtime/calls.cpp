// SPDX-License-Identifier: Apache-2.0
#include "runtime/calls.hpp"

#include <barrier>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <thread>

namespace dlcert::runtime {

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

std::function<std::optional<Error>()> Journal::entry(int entry) {
  return [this, entry]() -> std::optional<Error> {
    write(entry);
    return std::nullopt;
  };
}

void Journal::write(int entry) {
  const std::scoped_lock lock{mutex_};
  entries_.push_back(entry);
}

std::vector<std::int64_t> Journal::entries() const {
  const std::scoped_lock lock{mutex_};
  return entries_;
}

void queue_entry(const GpuRuntime& runtime, Journal& journal, int entry, std::int32_t kind) {
  require(runtime.queue(kind, journal.entry(entry)), "queue");
}

void require_thread_safe(const Case& c) {
  if (!c.subject().declares(DLCERT_THREAD_SAFE)) throw NotClaimed{"calls by several threads"};
}

void all_at_once(const std::vector<std::function<void()>>& actions) {
  const auto progress = std::make_shared<ThreadProgress>(actions.size());
  std::vector<std::thread> threads;
  threads.reserve(actions.size());
  for (const std::function<void()>& action : actions)
    threads.emplace_back([progress, action] { run_at_start(progress, action); });
  std::size_t ended = 0;
  {
    std::unique_lock lock{progress->mutex};
    progress->changed.wait_for(lock, thread_patience,
                               [&] { return progress->ended == actions.size(); });
    ended = progress->ended;
  }
  for (std::thread& thread : threads) {
    if (ended == actions.size())
      thread.join();
    else
      thread.detach();
  }
  expect(ended == actions.size(), "{} of {} threads have not returned after {} s",
         actions.size() - ended, actions.size(), thread_patience.count());
  if (progress->thrown) std::rethrow_exception(progress->thrown);
}

}  // namespace dlcert::runtime
