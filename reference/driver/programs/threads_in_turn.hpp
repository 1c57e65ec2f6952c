// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dlcert::driver {

/// Threads that act one at a time, on request. Their actions throw nothing.
class ThreadsInTurn {
 public:
  explicit ThreadsInTurn(std::size_t count) : nobody_{count}, turn_{count} {
    for (std::size_t i = 0; i < count; ++i)
      threads_.emplace_back([this, i] { serve(i); });
  }
  ~ThreadsInTurn() {
    for (std::size_t i = 0; i < threads_.size(); ++i)
      run(i, {});
    for (std::thread& thread : threads_)
      thread.join();
  }
  ThreadsInTurn(const ThreadsInTurn&) = delete;
  ThreadsInTurn& operator=(const ThreadsInTurn&) = delete;

  /// Returns when the thread has acted.
  void run(std::size_t thread, std::function<void()> action) {
    std::unique_lock lock{mutex_};
    action_ = std::move(action);
    turn_ = thread;
    changed_.notify_all();
    changed_.wait(lock, [&] { return turn_ == nobody_; });
  }

 private:
  void serve(std::size_t thread) {
    std::unique_lock lock{mutex_};
    for (bool more = true; more;) {
      changed_.wait(lock, [&] { return turn_ == thread; });
      more = static_cast<bool>(action_);
      if (more) action_();
      turn_ = nobody_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> action_;
  const std::size_t nobody_;
  std::size_t turn_;
  std::vector<std::thread> threads_;
};

}  // namespace dlcert::driver
