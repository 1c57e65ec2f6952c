// SPDX-License-Identifier: Apache-2.0
//
// Every small program, and whether the simulated driver and the interpreter agree about it.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "order_simulation.hpp"

namespace dlcert::driver::order {

/// Holds programs against the interpreter: under the eager and the late schedule, one in `seeded`
/// under the seeded one too.
class Comparison {
 public:
  explicit Comparison(const Setting& setting, std::uint64_t seeded = 8)
      : setting_{setting}, seeded_{seeded}, simulation_{setting} {}

  /// Whether the program has a race under every schedule: what follows takes that back no more.
  bool races(std::vector<Call>& program);

  [[nodiscard]] std::uint64_t programs() const noexcept { return programs_; }
  [[nodiscard]] std::uint64_t with_race() const noexcept { return with_race_; }
  /// Those with a race that no driver can find, about which nothing was asked.
  [[nodiscard]] std::uint64_t unwatched() const noexcept { return unwatched_; }
  /// The first disagreements, as texts.
  [[nodiscard]] const std::vector<std::string>& disagreements() const noexcept {
    return disagreements_;
  }

 private:
  bool races_under(Schedule schedule, std::vector<Call>& program);
  void disagree(const std::string& what, std::span<const Call> program);

  Setting setting_;
  std::uint64_t seeded_;
  Simulation simulation_;
  std::uint64_t programs_ = 0;
  std::uint64_t with_race_ = 0;
  std::uint64_t unwatched_ = 0;
  std::vector<std::string> disagreements_;
  std::vector<Call> judged_;  // the program of the last verdict, with its answers
  Verdict verdict_;
};

struct Enumeration {
  int length = 4;           ///< calls at most
  bool more_calls = false;  ///< also blocking ones, fills of both cells, ends of streams
  int shards = 1;
  int shard = 0;
  /// Of the programs with more than `whole` calls, one call in `sampled` is followed.
  int whole = 6;
  int sampled = 1;
  std::uint64_t seed = 1;
};

/// The families of programs: two created streams of each pair of kinds and the legacy stream, two
/// events, and two cells of one allocation.
[[nodiscard]] std::vector<Setting> families(CellKind kind);

/// Draws programs by seeds from `first` on. Those of threads apart need a driver that knows of
/// them.
void sample(const Setting& family, std::uint64_t first, std::uint64_t programs,
            Comparison& comparison);

/// Runs all programs of a family that the options name.
void enumerate(const Setting& family, const Enumeration& options, Comparison& comparison);

}  // namespace dlcert::driver::order
