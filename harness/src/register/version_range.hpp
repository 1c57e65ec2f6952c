// SPDX-License-Identifier: Apache-2.0
//
// Ranges of a library's versions, as waivers give them: ">=2.0, <2.4", "2.1", "==2.1.*", "~=2.1",
// "*". They mean what PEP 440 says where both versions are of its form; others compare as Debian's
// do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

class VersionRange {
 public:
  // Throws std::runtime_error, one line that names what cannot be read: a bound that is no version,
  // and one that PEP 440 gives no meaning (">=2.1.*", "~=2", ">=2.1+local").
  static VersionRange parse(std::string_view text);

  // Only this version; every version where the library's cannot be compared.
  static VersionRange exactly(std::string_view version);

  // A version that cannot be compared is in no range but "*". Pre-releases count like others.
  bool contains(std::string_view version) const;
  const std::string& text() const { return text_; }

 private:
  enum class Relation { less, less_equal, equal, not_equal, compatible, greater_equal, greater };
  struct Bound {
    Relation relation = Relation::equal;
    std::string version;  // of "==2.1.*": "2.1"
    bool prefix = false;
    bool admits(std::string_view candidate) const;
  };
  static Bound parse_bound(std::string_view text);

  std::string text_ = "*";
  std::vector<Bound> bounds_;  // all must hold
};

}  // namespace dlcert
