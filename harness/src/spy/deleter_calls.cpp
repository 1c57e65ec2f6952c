// SPDX-License-Identifier: Apache-2.0
#include "spy/deleter_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include <dlcert/suite/trace.hpp>

namespace dlcert {

namespace {

struct Entry {
  const void* address;
  const void* context;
  DeleterCalls* offer;
};

// The live offers. They are few, and the newest are called most: a list, searched from its end.
class CallRegistry {
 public:
  void add(const Entry& entry) {
    const std::lock_guard lock{mutex_};
    entries_.push_back(entry);
  }

  void remove(const DeleterCalls* offer) {
    const std::lock_guard lock{mutex_};
    const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                    [&](const Entry& entry) { return entry.offer == offer; });
    if (found == entries_.rend()) return;
    *found = entries_.back();
    entries_.pop_back();
  }

  template <typename Matches>
  DeleterCalls* find(const Matches& matches) {
    const std::lock_guard lock{mutex_};
    const auto found = std::find_if(entries_.rbegin(), entries_.rend(), matches);
    return found == entries_.rend() ? nullptr : found->offer;
  }

 private:
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

// Never destroyed: deleters may run during static destruction.
CallRegistry& registry() {
  static CallRegistry& registry = *new CallRegistry;
  return registry;
}

}  // namespace

void DeleterCalls::start_counting(const void* address, const void* context) {
  registry().add({address, context, this});
}

void DeleterCalls::stop_counting() {
  registry().remove(this);
}

std::optional<std::thread::id> DeleterCalls::thread() const {
  return calls() == 0 ? std::nullopt : std::optional{thread_.load()};
}

bool DeleterCalls::call_at(const void* address) {
  DeleterCalls* const offer =
      registry().find([&](const Entry& entry) { return entry.address == address; });
  if (offer == nullptr) return false;
  if (TraceSink* const sink = trace())
    sink->event(fmt::format("  the deleter of {} is called", trace_name(address)), {});
  std::thread::id nobody;
  offer->thread_.compare_exchange_strong(nobody, std::this_thread::get_id());
  if (!offer->released_.exchange(true)) offer->released();
  offer->calls_.fetch_add(1);
  return true;
}

void DeleterCalls::stray_call(const void* context) {
  DeleterCalls* const offer = registry().find(
      [&](const Entry& entry) { return context != nullptr && entry.context == context; });
  if (offer != nullptr) offer->stray_calls_.fetch_add(1);
}

void DeleterCalls::legacy_deleter(DLManagedTensor* self) {
  if (!call_at(self) && self != nullptr) stray_call(self->manager_ctx);
}

void DeleterCalls::versioned_deleter(DLManagedTensorVersioned* self) {
  if (!call_at(self) && self != nullptr) stray_call(self->manager_ctx);
}

}  // namespace dlcert
