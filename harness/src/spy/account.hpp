// SPDX-License-Identifier: Apache-2.0
//
// Who called the deleter of an offer, how often, and from where. Consumers give nothing but an
// address: all open accounts are found by it, so that a context that is NULL or a lie costs
// nothing, and a call too late is ignored rather than fatal.
#pragma once

#include <atomic>
#include <optional>
#include <thread>

#include <dlcert/suite/dlpack.hpp>

namespace dlcert {

class Account {
 public:
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  // The deleters of all offers. Any thread.
  static void legacy_deleter(DLManagedTensor* self);
  static void versioned_deleter(DLManagedTensorVersioned* self);

  int calls() const { return calls_.load(); }
  int stray_calls() const { return stray_calls_.load(); }
  std::optional<std::thread::id> thread() const;

 protected:
  Account() = default;
  virtual ~Account() = default;

  // Called by the first deleter call that carries the right address.
  virtual void released() = 0;

  void open_account(const void* address, const void* context);
  void close_account();

 private:
  static bool call_at(const void* address);
  static void stray_call(const void* context);

  std::atomic<int> calls_{0};
  std::atomic<int> stray_calls_{0};
  std::atomic<bool> released_{false};
  std::thread::id thread_;
};

}  // namespace dlcert
