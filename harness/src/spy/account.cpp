// SPDX-License-Identifier: Apache-2.0
#include "spy/account.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace dlcert {

namespace {

struct Entry {
  const void* address;
  const void* context;
  Account* account;
};

// Few are open at a time, and the newest are asked for most: a list, searched from its end.
class OpenAccounts {
 public:
  void add(const Entry& entry) {
    const std::lock_guard lock{mutex_};
    entries_.push_back(entry);
  }

  void remove(const Account* account) {
    const std::lock_guard lock{mutex_};
    const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                    [&](const Entry& entry) { return entry.account == account; });
    if (found == entries_.rend()) return;
    *found = entries_.back();
    entries_.pop_back();
  }

  template <typename Matches>
  Account* find(const Matches& matches) {
    const std::lock_guard lock{mutex_};
    const auto found = std::find_if(entries_.rbegin(), entries_.rend(), matches);
    return found == entries_.rend() ? nullptr : found->account;
  }

 private:
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

// Never destroyed: deleters may run during static destruction.
OpenAccounts& open_accounts() {
  static OpenAccounts& accounts = *new OpenAccounts;
  return accounts;
}

}  // namespace

void Account::open_account(const void* address, const void* context) {
  open_accounts().add({address, context, this});
}

void Account::close_account() {
  open_accounts().remove(this);
}

std::optional<std::thread::id> Account::thread() const {
  return calls() == 0 ? std::nullopt : std::optional{thread_};
}

bool Account::call_at(const void* address) {
  Account* const account =
      open_accounts().find([&](const Entry& entry) { return entry.address == address; });
  if (account == nullptr) return false;
  if (!account->released_.exchange(true)) {
    account->thread_ = std::this_thread::get_id();
    account->released();
  }
  account->calls_.fetch_add(1);
  return true;
}

void Account::stray_call(const void* context) {
  Account* const account = open_accounts().find(
      [&](const Entry& entry) { return context != nullptr && entry.context == context; });
  if (account != nullptr) account->stray_calls_.fetch_add(1);
}

void Account::legacy_deleter(DLManagedTensor* self) {
  if (!call_at(self) && self != nullptr) stray_call(self->manager_ctx);
}

void Account::versioned_deleter(DLManagedTensorVersioned* self) {
  if (!call_at(self) && self != nullptr) stray_call(self->manager_ctx);
}

}  // namespace dlcert
