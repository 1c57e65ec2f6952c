// SPDX-License-Identifier: Apache-2.0
//
// conformance/causes.json: which failures may come from which. Advice for readers: no verdict,
// count or exit code depends on it (report/causes.hpp).
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

class JsonReader;
class Register;

using Pattern = std::string;  // a glob (register/names.hpp)
bool matches_any(std::string_view text, std::span<const Pattern> patterns);

// What many checks expect, whatever their rule: the message of such a failure tells whose breach it
// shows.
struct Expectation {
  std::string name;
  std::vector<Pattern> says;  // messages; of an end without one, "crash" or "timeout"
  std::vector<std::vector<Pattern>>
      shows;           // requirements, nearest first; equally near in one group
  bool vague = false;  // alone, it tells nothing
  std::string because;
};

// Requirements that rest on others: their checks cannot pass where those are broken.
struct Dependence {
  std::vector<Pattern> requirements, on;
  std::vector<Pattern> says{"*"};   // every message of the failing requirement is one of these
  std::vector<Pattern> unless;      // and none is one of these
  std::vector<Pattern> where{"*"};  // some message of what it rests on is one of these
  std::size_t at_least = 1;         // so many of `requirements` fail
  std::size_t at_most = std::numeric_limits<std::size_t>::max();  // so few of `on` fail
  std::string because;
};

struct CauseRules {
  std::vector<Expectation> expectations;  // a message is of the first that it matches
  std::vector<Dependence> rests_on;
};

// Of a document like conformance/causes.json. Throws std::runtime_error, one line with the place,
// also where a pattern is of no requirement of the register.
CauseRules read_cause_rules(const JsonReader& document, const Register& known);

}  // namespace dlcert
