// SPDX-License-Identifier: Apache-2.0
//
// Calls that must be refused, and calls that wait for initialization.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/gpu_party.hpp>

#include "testbench/threads.hpp"

namespace dlcert::runtime {

using testbench::all_at_once;
using testbench::require_thread_safe;

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

}  // namespace dlcert::runtime
