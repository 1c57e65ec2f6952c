// SPDX-License-Identifier: Apache-2.0

#include "forks.hpp"

#include <pthread.h>

#include <atomic>
#include <new>

namespace dlcert::cuda {
namespace {

constinit std::mutex state;
constinit std::atomic<std::uint64_t> generation{1};

void before_fork() {
  state.lock();
}

void after_fork_in_parent() {
  state.unlock();
}

void after_fork_in_child() {
  generation.fetch_add(1, std::memory_order_relaxed);
  state.unlock();
}

}  // namespace

void watch_forks() {
  static const int error = ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  if (error != 0) throw std::bad_alloc();
}

std::uint64_t fork_generation() noexcept {
  return generation.load(std::memory_order_relaxed);
}

std::mutex& state_mutex() noexcept {
  return state;
}

}  // namespace dlcert::cuda
