// SPDX-License-Identifier: Apache-2.0
//
// The preflight of mutants: their faults are a library's, which rules name, and not an adapter's.
#pragma once

#include <string>
#include <vector>

#include "kill.hpp"

namespace dlcert {

// The faults for which a preflight would stop the mutants that `options` choose, a line each. Tries
// them side by side; throws as kill_all(). `checked` counts the mutants.
std::string stopped_by_preflight(const Manifest& manifest, const KillOptions& options,
                                 std::size_t& checked);

}  // namespace dlcert
