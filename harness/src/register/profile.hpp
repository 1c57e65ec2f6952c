// SPDX-License-Identifier: Apache-2.0
//
// The profile that a library is certified against: versions of DLPack and of the array API, a
// runtime, policies.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "register/register.hpp"

namespace dlcert {

// A value of Settings::spec, array_api and runtime: each library is judged by what it declares.
inline constexpr std::string_view as_declared = "declared";
// It follows no such standard.
inline constexpr std::string_view no_standard = "none";

// Each list ends with "declared"; that before it is the newest version.
std::vector<std::string> known_specs();       // "0.8" ... "1.3"
std::vector<std::string> known_array_apis();  // "none", "2021.12" ... "2025.12"
std::vector<std::string> known_runtimes();    // "none", "torch-2.4", "driver"

// What binds a library, or what it declares; then an empty text is: nothing is known.
struct Standards {
  std::string dlpack;     // "1.3"
  std::string array_api;  // "2025.12", "none"
  std::string runtime;    // "torch-2.4", "none"

  bool operator==(const Standards&) const = default;
};

// What binds a library that declares this: the settings, unless they leave it to the library. One
// that does not tell its version of DLPack is judged by the newest, one that claims no array API by
// none.
Standards standards_of(const Settings& settings, const Standards& declared);
// The older version of each: what binds two libraries with each other.
Standards older(const Standards& one, const Standards& other);
// The newest known version that is not newer than the label of a tensor.
std::string known_spec_at_most(DLPackVersion label);

std::vector<std::string> known_drivers();  // "simulated", "cuda", "hip"

std::string to_text(DLPackVersion version);              // "1.3"
DLPackVersion version_from_text(std::string_view text);  // throws std::runtime_error
bool is_before(DLPackVersion one, DLPackVersion other);
inline constexpr std::array all_roles{Role::producer, Role::consumer, Role::runtime};
std::string_view to_text(Role role);         // "producer", "consumer", "runtime"
Role role_from_text(std::string_view text);  // throws std::runtime_error

// Why a requirement does not bind a library that follows these standards ("since DLPack 1.2",
// "until DLPack 1.0", "since torch 2.4"); empty: it does.
std::string outside_profile(const Requirement& requirement, const Standards& standards);
// Whether it binds from a later version on of a standard that the library follows.
bool is_newer(const Requirement& requirement, const Standards& standards);
// The level of a requirement for a library that follows these standards: of one that does not claim
// the array API, Requirement::without_array_api.
Level level_in(const Requirement& requirement, const Standards& standards);

// What each library declares, and the default of each policy.
Settings default_settings(const Register& known);

// Names of policy sets: "standard", the defaults; "interop", what the bugs of real libraries
// taught; "strict", the narrowest value of each.
inline constexpr std::string_view standard_policies = "standard";
std::vector<std::string> known_policy_sets();

using PolicyNames = std::set<std::string, std::less<>>;

struct Policies {
  std::string set{standard_policies};
  std::map<std::string, std::string, std::less<>> values{};  // of every policy of the register
  // Those whose value the user chose: by a choice, also of the default, or by a set that differs
  // from the default.
  PolicyNames chosen{};
};

// Every policy of the register with its value in the set, then `choices`, each "name=value".
// Throws std::invalid_argument (one line) for an unknown set, name or value, naming the nearest
// match.
Policies resolve_policies(const Register& known, std::string_view set,
                          const std::vector<std::string>& choices);

// Whether a failure of the requirement, at this level, counts for the exit code: it is a MUST, with
// `strict` a SHOULD, or a policy decides it whose value was chosen. The value "record" judges
// nothing: what it decides keeps its level.
bool is_binding(const Requirement& requirement, Level level, const Settings& settings, bool strict,
                const PolicyNames& chosen);

// Settings that a document brings, where any text may stand: policies that it lacks get their
// default. Throws std::invalid_argument (one line that names the value) for what no command line
// could have asked for.
void complete_settings(Settings& settings, const Register& known);

}  // namespace dlcert
