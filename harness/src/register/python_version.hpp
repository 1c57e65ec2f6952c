// SPDX-License-Identifier: Apache-2.0
//
// Versions as Python's packages number them: PEP 440.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

// A number of any length without leading zeros.
struct Decimal {
  std::string digits = "0";
  friend bool operator==(const Decimal&, const Decimal&) = default;
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
    if (a.digits.size() != b.digits.size()) return a.digits.size() <=> b.digits.size();
    return a.digits.compare(b.digits) <=> 0;
  }
};

struct PythonVersion {
  // A part of a local version; a number is greater than a word.
  struct LocalPart {
    std::optional<Decimal> number;
    std::string word;
    std::strong_ordering operator<=>(const LocalPart& other) const;
    bool operator==(const LocalPart&) const = default;
  };

  Decimal epoch;
  std::vector<Decimal> release;   // without zeros at its end, which mean nothing
  std::size_t release_parts = 0;  // as written
  char pre = 0;                   // 'a', 'b', 'r' (candidate); 0: none
  Decimal pre_number;
  std::optional<Decimal> post, dev;
  std::vector<LocalPart> local;

  // Nothing for a text that is no version. Spellings that the PEP calls equal read the same.
  static std::optional<PythonVersion> parse(std::string_view text);

  bool is_prerelease() const { return pre != 0 || dev.has_value(); }
  // 1.2 of 1!1.2rc1+cu: the release alone, of the same epoch.
  PythonVersion base() const;
  PythonVersion without_local() const;
  // The release starts with that of `prefix`, in the same epoch.
  bool starts_with(const PythonVersion& prefix) const;

  std::strong_ordering operator<=>(const PythonVersion& other) const;
  bool operator==(const PythonVersion& other) const { return std::is_eq(*this <=> other); }
};

}  // namespace dlcert
