// SPDX-License-Identifier: Apache-2.0
#include "runtime/calls.hpp"

namespace dlcert::runtime {

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

}  // namespace dlcert::runtime
