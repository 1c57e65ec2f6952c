// SPDX-License-Identifier: Apache-2.0
//
// The versions of dlcert's own rules: which requirements each minor version has, and how they
// bind. The checks themselves have no versions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "register/profile.hpp"
#include "register/register.hpp"

namespace dlcert {

// The minor versions of dlcert, oldest first: "0.1". The last is that of this program.
std::vector<std::string> known_rules();
// Returns a known version. Throws std::runtime_error for another text.
std::string rules_from_text(std::string_view text);

// The rules that judge a library.
struct RulesVersion {
  std::string version = known_rules().back();
  bool chosen = false;  // the user asked for this version: its new rules bind too
};

// Returns the rules for a value of --rules; empty: those of this program.
RulesVersion rules_of(const std::string& asked);

// The choices of the user beyond the levels of requirements.
struct Strictness {
  bool strict = false;   // a SHOULD counts like a MUST
  PolicyNames chosen{};  // policies whose value binds whatever the level: Policies::chosen
  RulesVersion rules{};
};

// How a requirement counts.
struct Standing {
  Level level = Level::must;
  bool binding = false;  // is_binding(), unless the rule is too new
  // Why a failure is only a warning although the level may bind: "new in dlcert 0.2: it binds from
  // dlcert 0.3 on"; empty: the rule is not too new.
  std::string grace;
};

// Returns how a requirement counts for a library that follows these standards. Its level is that of
// the rules' version. Unless the user chose that version, what is new or stricter in it only warns,
// or binds as its earlier level did. A requirement whose check alone became stricter after that
// version only warns too: there is no older check.
Standing standing_of(const Requirement& requirement, const Standards& standards,
                     const Settings& settings, const Strictness& strictness);

// Returns whether a later version than these rules added the requirement.
bool is_later(const Requirement& requirement, const RulesVersion& rules);
// Returns why a library is not judged by a requirement: outside_profile(), or the rules are older
// than it ("since dlcert 0.2"); empty: it is.
std::string left_out(const Requirement& requirement, const Standards& standards,
                     const RulesVersion& rules);

// Returns the history of a requirement, a line each: "added in dlcert 0.1", "stricter in dlcert 0.2
// (SHOULD before): why".
std::vector<std::string> history_lines(const Requirement& requirement);

}  // namespace dlcert
