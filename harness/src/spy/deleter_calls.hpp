// SPDX-License-Identifier: Apache-2.0
//
// The calls of an offer's deleter: how many there were, and from which thread. A deleter is given
// nothing but an address, by which the offer is found among all live ones: so a context may be NULL
// or a lie, and a call too late is ignored rather than fatal.
#pragma once

#include <atomic>
#include <optional>
#include <thread>

#include <dlcert/suite/dlpack.hpp>

namespace dlcert {

// The part of an offer that counts. Counts may be read from any thread.
class DeleterCalls {
 public:
  DeleterCalls(const DeleterCalls&) = delete;
  DeleterCalls& operator=(const DeleterCalls&) = delete;

  // The deleters of all offers. Any thread.
  static void legacy_deleter(DLManagedTensor* self);
  static void versioned_deleter(DLManagedTensorVersioned* self);

  int calls() const { return calls_.load(); }
  // Calls with this offer's context at another address.
  int stray_calls() const { return stray_calls_.load(); }
  // The thread of the first call; none before it.
  std::optional<std::thread::id> thread() const;

 protected:
  DeleterCalls() = default;
  virtual ~DeleterCalls() = default;

  // Called by the first deleter call that carries the right address.
  virtual void released() = 0;

  // Makes calls at `address` count from now on.
  void start_counting(const void* address, const void* context);
  void stop_counting();

 private:
  static bool call_at(const void* address);
  static void stray_call(const void* context);

  std::atomic<int> calls_{0};
  std::atomic<int> stray_calls_{0};
  std::atomic<bool> released_{false};
  std::atomic<std::thread::id> thread_{};  // set before the first call is counted
};

}  // namespace dlcert
