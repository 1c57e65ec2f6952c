// SPDX-License-Identifier: Apache-2.0
//
// The manifest that the modules of mutants tell.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bugs.hpp"
#include "manifest.hpp"

namespace dlcert {

// What a module says of its mutants. Throws std::runtime_error for a file that is no module of
// mutants.
mutants::Catalogue catalogue_of(const std::string& module);

// Loads the modules and asks each for its catalogue. A mutant with the name of a bug plants it.
// Throws std::runtime_error for a file that is no module of mutants.
Manifest manifest_of(std::span<const std::string> modules, const std::vector<Bug>& bugs);

}  // namespace dlcert
