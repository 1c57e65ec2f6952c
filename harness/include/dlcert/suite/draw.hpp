// SPDX-License-Identifier: Apache-2.0
//
// The source of a case's inputs.
//
// A case is a finite sequence of recorded random choices. Every generator is an ordinary function
// that asks a Draw for bounded integers. The sequence alone repeats the case, in this or another
// process. Shrinking (harness/src/worker/shrink.hpp) makes the sequence shorter and its choices
// smaller; 0 is the simplest answer to every question.
//
// The order of the questions is part of a case. Therefore never write two questions as arguments of
// one call: the compiler decides in which order it evaluates them.
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

// The choices of a running case, in memory that another process can read even if this one dies. One
// thread appends. Choices beyond the capacity are not logged.
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

// Answers questions with bounded integers. Only one thread may use it at a time.
class Draw {
 public:
  // Starts a sequence of random choices from `seed`. `size`, from 0 to 100, bounds the size of
  // generated inputs; generators read it by size().
  Draw(std::uint64_t seed, int size);

  // Returns a Draw that repeats the choices of an earlier case. It answers further questions with
  // 0, and reduces an answer that is out of bounds.
  static Draw replay(Choices choices, int size);

  int size() const { return size_; }

  // Also writes every choice to `log`, which must outlive this object.
  void log_to(ChoiceLog& log) { log_ = &log; }

  // Returns a uniform number in [0, bound). Requires bound > 0.
  std::uint64_t below(std::uint64_t bound);

  // Returns a uniform number in [low, high], including both; shrinks towards low. Requires low <=
  // high and that high - low fits an std::int64_t.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }

  // Returns true or false with equal probability; shrinks towards false.
  bool flip() { return below(2) == 1; }

  // Returns true once in `times` on average; shrinks towards false. Requires times > 0.
  bool rarely(std::uint64_t times) { return below(times) + 1 == times; }

  // Returns an element of a non-empty range with random access; shrinks towards its first element.
  // The result is a reference into `range`: copy it if `range` is a temporary.
  template <typename Range>
  decltype(auto) one_of(const Range& range) {
    return *(std::begin(range) + static_cast<std::ptrdiff_t>(below(std::size(range))));
  }

  // Fills `out` with random bytes. This costs one choice. It shrinks to all zero, not byte by byte.
  void bytes(std::span<std::byte> out);

  // Replaces the recorded choices by those that a copy of this object recorded in another process.
  void catch_up(Choices choices) { choices_ = std::move(choices); }

  // Returns the answers so far; valid until the next question.
  const Choices& choices() const { return choices_; }

 private:
  std::uint64_t state_ = 0;
  int size_ = 0;
  bool replaying_ = false;
  Choices choices_;
  Choices recorded_;  // the choices to repeat
  ChoiceLog* log_ = nullptr;
};

// Returns a seed that depends on both arguments and is not correlated with them. Every check and
// every case gets its own seed that way. The result is the same under every compiler.
std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t value);
std::uint64_t mix_seed(std::uint64_t seed, std::string_view text);

}  // namespace dlcert
