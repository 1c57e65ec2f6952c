// SPDX-License-Identifier: Apache-2.0
//
// The only file that includes RapidCheck: its shrink sequences search; generation and accounting
// are ours.
#include "worker/shrink.hpp"

#include <rapidcheck.h>

#include <chrono>

namespace dlcert {

namespace {

rc::Seq<Choices> smaller(const Choices& choices) {
  return rc::seq::concat(rc::shrink::removeChunks(choices),
                         rc::shrink::eachElement(choices, [](std::uint64_t choice) {
                           return rc::shrink::towards<std::uint64_t>(choice, 0);
                         }));
}

using Clock = std::chrono::steady_clock;

Clock::time_point deadline_after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>{seconds});
}

}  // namespace

Shrunk shrink(const Choices& start, const Fails& fails, const ShrinkBudget& budget) {
  const Clock::time_point deadline = deadline_after(budget.seconds);
  Shrunk best;
  const auto affordable = [&] {
    return best.candidates < budget.candidates && Clock::now() < deadline;
  };
  auto current =
      rc::shrinkable::shrinkRecur(start, [](const Choices& choices) { return smaller(choices); });
  for (bool improved = true; improved;) {
    improved = false;
    auto candidates = current.shrinks();
    while (!improved && affordable()) {
      auto candidate = candidates.next();
      if (!candidate) break;
      ++best.candidates;
      if (fails(candidate->value())) {
        current = *std::move(candidate);
        ++best.steps;
        improved = true;
      }
    }
  }
  best.choices = current.value();
  return best;
}

}  // namespace dlcert
