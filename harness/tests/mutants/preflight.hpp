// SPDX-License-Identifier: Apache-2.0
//
// The preflight of mutants: their faults are a library's, which rules name, and not an adapter's.
#pragma once

#include <string>
#include <vector>

#include "kill.hpp"

namespace dlcert {

// The mutants of `options.area` that a preflight would stop, with the fault that it finds: a line
// each. Sets DLCERT_MUTANT in this process; throws as kill_all. `checked` counts the mutants.
std::vector<std::string> stopped_by_preflight(const Manifest& manifest, const KillOptions& options,
                                              std::size_t& checked);

}  // namespace dlcert
