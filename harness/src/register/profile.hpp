// SPDX-License-Identifier: Apache-2.0
//
// The profile that a library is certified against: versions of DLPack and of the array API, a
// runtime, policies.
#pragma once

#include <array>
#include <optional>
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

// Every policy of the register with its default, then `choices`, each "name=value".
// Throws std::invalid_argument (one line) for an unknown name or value, naming the nearest match.
std::map<std::string, std::string, std::less<>> resolve_policies(
    const Register& known, const std::vector<std::string>& choices);

}  // namespace dlcert
