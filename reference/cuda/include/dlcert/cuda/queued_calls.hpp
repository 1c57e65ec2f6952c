// SPDX-License-Identifier: Apache-2.0
//
// Calls that wait for the GPU runtime to be initialized.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlcert::cuda {

/// Where a call was queued, as an error will say it: "main.cpp:12 (main)", or a caller's own stack.
class CallPlace {
 public:
  CallPlace(std::string text) : text_{std::move(text)} {}  // NOLINT(google-explicit-constructor)

  /// The place of the call; as a default argument, that of the function's caller. In place of
  /// std::source_location, which Clang 14 lacks.
  [[nodiscard]] static CallPlace here(const char* file = __builtin_FILE(),
                                      int line = __builtin_LINE(),
                                      const char* function = __builtin_FUNCTION());

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// Of the calls that seed one device and of those that seed all, only the latest each survives.
enum class CallKind : std::uint8_t { plain, seed, seed_all };

struct QueuedCall {
  std::function<void()> call;
  CallPlace place;
};

/// The order of queued calls. Source: torch 2.4, _lazy_call and _seed_tracker. Not thread-safe.
class QueuedCalls {
 public:
  /// How far an attempt to run them has come.
  struct Attempt {
    std::size_t plain = 0;
    std::uint64_t seed = 0;
  };

  /// Gives the seed that this one replaces.
  std::optional<QueuedCall> add(QueuedCall call, CallKind kind);
  /// The next one, none when all have run in this attempt: plain calls in the order in which they
  /// were added, then seeds in the order of their latest use. More may be added between two steps.
  [[nodiscard]] std::optional<QueuedCall> next(Attempt& attempt) const;

 private:
  struct Seed {
    CallKind kind;
    std::uint64_t number;  // counts uses, from 1
    QueuedCall call;
  };

  std::vector<QueuedCall> plain_;
  std::vector<Seed> seeds_;  // in order of latest use
  std::uint64_t seeds_used_ = 0;
};

}  // namespace dlcert::cuda
