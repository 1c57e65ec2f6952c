// SPDX-License-Identifier: Apache-2.0
//
// A program of driver calls with what each of them answered, as text: see
// fixtures/driver_programs/README.md for what a line means.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dlcert/driver/driver.hpp"

#include "verbs.hpp"

namespace dlcert::driver::programs {

/// What a call answered: its status and, where the verb has one, the word that it gave.
struct Outcome {
  int status = 0;
  int word = no_word;

  static constexpr int no_word = -1;

  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend bool operator<(const Outcome& a, const Outcome& b) {
    return std::tie(a.status, a.word) < std::tie(b.status, b.word);
  }
};

struct Step {
  int line = 0;
  int thread = 0;
  VerbName verb{};
  std::vector<int> operands;   // in the order of the verb; see OperandKind
  std::set<Outcome> recorded;  // empty: not recorded yet
};

struct Buffer {
  int line = 0;    // of what it holds at the end
  int device = 0;  // no_device: the steps allocate it, and what it holds at the end is not asked
  MemoryKind kind = MemoryKind::device;
  std::set<int> recorded;  // each byte of it is one of these at the end; empty: not recorded yet
};

inline constexpr int no_device = -1;

struct Program {
  int line = 0;
  std::string name;
  int devices = 1;  // that it needs
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
};

/// Nothing is larger than this: names are counted from 0.
inline constexpr int max_count = 32;

/// The words for the kinds of memory, in the order of MemoryKind.
inline constexpr std::array<std::string_view, 3> memory_kinds{"pageable", "device", "pinned"};

struct ParseError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Unrecorded : std::uint8_t { refused, allowed };

/// Throws ParseError, one line "file:line: expected ... but found ...".
[[nodiscard]] std::vector<Program> parse(std::string_view file, std::string_view text,
                                         Unrecorded unrecorded = Unrecorded::refused);

[[nodiscard]] std::string to_text(const Program& program);
[[nodiscard]] std::string to_text(VerbName verb, const std::set<Outcome>& outcomes);
[[nodiscard]] std::string to_text(const std::set<int>& bytes);

/// `text` with the recorded values of `programs`, which were parsed from it, in place of its own.
[[nodiscard]] std::string with_recorded(std::string_view text,
                                        const std::vector<Program>& programs);

}  // namespace dlcert::driver::programs
