// SPDX-License-Identifier: Apache-2.0
#include "worker/shrink.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace dlcert {

namespace {

// The choices without one run of them: the longest runs first, of one length from the left.
class Shorter {
 public:
  explicit Shorter(Choices choices) : choices_{std::move(choices)}, length_{choices_.size()} {}

  std::optional<Choices> next() {
    if (length_ == 0) return std::nullopt;
    Choices shorter = choices_;
    const auto begin = shorter.begin() + static_cast<std::ptrdiff_t>(begin_);
    shorter.erase(begin, begin + static_cast<std::ptrdiff_t>(length_));
    if (++begin_ + length_ > choices_.size()) {
      begin_ = 0;
      --length_;
    }
    return shorter;
  }

 private:
  Choices choices_;
  std::size_t begin_ = 0, length_;  // of the next run
};

// The choices with a smaller one: from the left, each first 0, then by half the distance nearer.
class Nearer {
 public:
  explicit Nearer(Choices choices) : choices_{std::move(choices)} {
    if (!choices_.empty()) distance_ = choices_.front();
  }

  std::optional<Choices> next() {
    while (distance_ == 0) {
      if (at_ + 1 >= choices_.size()) return std::nullopt;
      distance_ = choices_[++at_];
    }
    Choices nearer = choices_;
    nearer[at_] -= distance_;
    distance_ /= 2;
    return nearer;
  }

 private:
  Choices choices_;
  std::size_t at_ = 0;
  std::uint64_t distance_ = 0;  // from the next value
};

class Smaller {
 public:
  explicit Smaller(const Choices& choices) : shorter_{choices}, nearer_{choices} {}

  std::optional<Choices> next() {
    std::optional<Choices> found = shorter_.next();
    return found ? found : nearer_.next();
  }

 private:
  Shorter shorter_;
  Nearer nearer_;
};

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
  best.choices = start;
  for (Smaller candidates{start}; affordable();) {
    std::optional<Choices> candidate = candidates.next();
    if (!candidate) break;
    ++best.candidates;
    if (!fails(*candidate)) continue;
    ++best.steps;
    best.choices = *std::move(candidate);
    candidates = Smaller{best.choices};
  }
  return best;
}

}  // namespace dlcert
