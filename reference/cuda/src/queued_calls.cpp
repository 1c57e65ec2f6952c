// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/queued_calls.hpp"

#include <algorithm>

namespace dlcert::cuda {

CallPlace CallPlace::here(const char* file, int line, const char* function) {
  return {std::string(file) + ":" + std::to_string(line) + " (" + function + ")"};
}

std::optional<QueuedCall> QueuedCalls::add(QueuedCall call, CallKind kind) {
  if (kind == CallKind::plain) {
    plain_.push_back(std::move(call));
    return std::nullopt;
  }
  std::optional<QueuedCall> replaced;
  if (const auto former = std::ranges::find(seeds_, kind, &Seed::kind); former != seeds_.end()) {
    replaced = std::move(former->call);
    seeds_.erase(former);
  }
  seeds_.push_back({kind, ++seeds_used_, std::move(call)});
  return replaced;
}

std::optional<QueuedCall> QueuedCalls::next(Attempt& attempt) const {
  if (attempt.plain < plain_.size()) return plain_[attempt.plain++];
  const auto seed =
      std::ranges::find_if(seeds_, [&](const Seed& each) { return each.number > attempt.seed; });
  if (seed == seeds_.end()) return std::nullopt;
  attempt.seed = seed->number;
  return seed->call;
}

}  // namespace dlcert::cuda
