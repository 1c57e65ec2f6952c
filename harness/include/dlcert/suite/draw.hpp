// SPDX-License-Identifier: Apache-2.0
//
// The source of a case's inputs.
//
// A case is a finite sequence of choices: every generator is an ordinary function that asks a Draw
// for bounded integers. The sequence alone repeats the case, in this process or in another one, and
// shrinking (harness/src/worker/shrink.hpp) works on it: fewer choices and smaller choices, where 0
// is the simplest answer to every question. The order of the questions is part of a case: two
// questions never stand in the arguments of one call, whose order is the compiler's.
//
// Implemented in harness/src/party/draw.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace dlcert {

// The answers of a Draw, in order.
using Choices = std::vector<std::uint64_t>;

// The choices of a running case, in memory that another process sees even if this one dies. One
// thread appends; what is beyond the capacity is not logged.
struct ChoiceLog {
  static constexpr std::size_t capacity = 8192;
  std::atomic<std::uint32_t> count{0};
  std::uint64_t values[capacity];

  void append(std::uint64_t choice) {
    const std::uint32_t index = count.load(std::memory_order_relaxed);
    if (index == capacity) return;
    values[index] = choice;
    count.store(index + 1, std::memory_order_release);
  }
};

// Answers questions with bounded integers. One thread at a time.
class Draw {
 public:
  // Random choices from `seed`. `size` (0 to 100) bounds how large generated things grow:
  // generators ask for it by size().
  Draw(std::uint64_t seed, int size);

  // The choices of an earlier case; what is asked beyond them is answered 0, and an answer out of
  // bounds is reduced.
  static Draw replay(Choices choices, int size);

  int size() const { return size_; }

  // Also writes every choice to `log`, which outlives this.
  void log_to(ChoiceLog& log) { log_ = &log; }

  // Uniform in [0, bound). Requires bound > 0.
  std::uint64_t below(std::uint64_t bound);

  // Uniform in [low, high], both included; shrinks towards low. Requires low <= high, and that
  // high - low fits an std::int64_t.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }

  // Shrinks towards false.
  bool flip() { return below(2) == 1; }

  // True once in `times` on average; shrinks towards false. Requires times > 0.
  bool rarely(std::uint64_t times) { return below(times) + 1 == times; }

  // An element of a non-empty range with random access; shrinks towards its first. The result is a
  // reference into `range` and no longer valid than that: copy it out of a temporary.
  template <typename Range>
  decltype(auto) one_of(const Range& range) {
    return *(std::begin(range) + static_cast<std::ptrdiff_t>(below(std::size(range))));
  }

  // Fills with random bytes; costs one choice and does not shrink bytewise, but to all zero.
  void bytes(std::span<std::byte> out);

  // Counts as having given these answers, which a copy of this gave in another process.
  void catch_up(Choices choices) { choices_ = std::move(choices); }

  // The answers so far; valid until the next question.
  const Choices& choices() const { return choices_; }

 private:
  std::uint64_t state_ = 0;
  int size_ = 0;
  bool replaying_ = false;
  Choices choices_;
  Choices recorded_;  // what is replayed
  ChoiceLog* log_ = nullptr;
};

// Decorrelated seeds: every check, and every case of it, draws its own. The same under every
// compiler.
std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t value);
std::uint64_t mix_seed(std::uint64_t seed, std::string_view text);

}  // namespace dlcert
