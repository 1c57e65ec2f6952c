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

// Settings::runtime of a run in which each adapter follows the runtime that it declares, or none.
inline constexpr std::string_view declared_runtime = "declared";

std::vector<std::string> known_specs();       // "0.8" ... "1.3"
std::vector<std::string> known_array_apis();  // "2021.12" ... "2025.12"
std::vector<std::string> known_runtimes();    // "none", "torch-2.4", "driver", "declared"

std::vector<std::string> known_drivers();  // "simulated", "cuda", "hip"

std::string to_text(DLPackVersion version);              // "1.3"
DLPackVersion version_from_text(std::string_view text);  // throws std::runtime_error
inline constexpr std::array all_roles{Role::producer, Role::consumer, Role::runtime};
std::string_view to_text(Role role);         // "producer", "consumer", "runtime"
Role role_from_text(std::string_view text);  // throws std::runtime_error

// Why a requirement does not bind a library under these settings ("since DLPack 1.2", "until
// DLPack 1.0", "since torch 2.4"); empty: it does. `runtime` is the one that this library follows.
std::string outside_profile(const Requirement& requirement, const Settings& settings,
                            std::string_view runtime);
// The runtime that an adapter follows under these settings.
std::string effective_runtime(const Settings& settings, std::string_view declared);

// The newest versions, the runtimes that adapters declare, and the default of each policy.
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

// Whether a failure of the requirement counts for the exit code: it is a MUST, with `strict` a
// SHOULD, or a policy decides it whose value was chosen. The value "record" judges nothing: what
// it decides keeps its level.
bool is_binding(const Requirement& requirement, const Settings& settings, bool strict,
                const PolicyNames& chosen);

// Settings that a document brings, where any text may stand: policies that it lacks get their
// default. Throws std::invalid_argument (one line that names the value) for what no command line
// could have asked for.
void complete_settings(Settings& settings, const Register& known);

}  // namespace dlcert
