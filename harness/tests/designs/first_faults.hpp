// SPDX-License-Identifier: Apache-2.0
//
// How often the first fault that the report on a wrong sibling names is one that the sibling
// plants.
#pragma once

#include <string>
#include <vector>

#include "catalogue.hpp"
#include "module_run.hpp"

namespace dlcert {

// Runs each sibling that names a requirement, side by side, against every requirement and prints a
// line for each of which the report names another one first, then the share of the others. `run`:
// how, but for the library. Returns that share in per cent; of no sibling, 0.
double measure_first_faults(const std::vector<designs::Sibling>& siblings, const ModuleRun& run);

}  // namespace dlcert
