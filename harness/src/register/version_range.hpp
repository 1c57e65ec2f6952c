// SPDX-License-Identifier: Apache-2.0
//
// Ranges of a library's versions, as waivers give them: ">=2.0, <2.4", "2.1", "*".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

// Less than, equal to or greater than 0. Numbers between dots compare as numbers, and a missing one
// is 0; a word, as in "2.1rc1", comes before no word.
int compare_versions(std::string_view a, std::string_view b);

class VersionRange {
 public:
  // Throws std::runtime_error, one line.
  static VersionRange parse(std::string_view text);

  // Only this version; every version where the library has none that can be compared.
  static VersionRange exactly(std::string_view version);

  bool contains(std::string_view version) const;
  const std::string& text() const { return text_; }

 private:
  enum class Relation { less, less_equal, equal, greater_equal, greater };
  struct Bound {
    Relation relation;
    std::string version;
    bool admits(std::string_view candidate) const;
  };
  static Bound parse_bound(std::string_view text);

  std::string text_;
  std::vector<Bound> bounds_;  // all must hold
};

}  // namespace dlcert
