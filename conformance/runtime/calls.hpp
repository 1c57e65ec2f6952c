// SPDX-License-Identifier: Apache-2.0
//
// Calls that must be refused, calls that wait for initialization, and calls by several threads at
// once.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/gpu_party.hpp>

namespace dlcert::runtime {

// The error of a call that the rule obliges the library to refuse.
template <typename T>
Error require_refused(const Outcome<T>& outcome, std::string_view what) {
  if (outcome.ok()) fail_equal(what, "a refusal", "success");
  return outcome.error();
}

// Which calls have run, in their order. Any thread.
class Journal {
 public:
  // A call for queue() that writes `entry` down.
  std::function<std::optional<Error>()> entry(int entry);
  void write(int entry);
  std::vector<std::int64_t> entries() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::int64_t> entries_;
};

// Queues a call that writes `entry` into `journal`, which outlives the process's calls.
void queue_entry(const GpuRuntime& runtime, Journal& journal, int entry,
                 std::int32_t kind = DLCERT_CALL_PLAIN);

// Ends the case as not claimed unless the library may be called by several threads at once.
void require_thread_safe(const Case& c);

// Runs every action on a thread of its own, all starting at once. Fails the case when they have not
// ended after 5 seconds, which no thread survives; throws what the first of them threw.
void all_at_once(const std::vector<std::function<void()>>& actions);

}  // namespace dlcert::runtime
