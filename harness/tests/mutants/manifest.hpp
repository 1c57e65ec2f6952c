// SPDX-License-Identifier: Apache-2.0
//
// fixtures/mutants/manifest.json: which requirement finds which planted fault. It is made from what
// the mutants say (modules.hpp); manifest.schema.json, beside it, says what its members mean.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catalogue.hpp"

namespace dlcert {

struct Mutant {
  std::string id;
  std::string area;
  mutants::Facts facts;
};

struct Manifest {
  std::map<std::string, std::vector<std::string>> must_pass;  // of each area
  std::vector<Mutant> mutants;                                // by area and ID

  // What this mutant must pass: its area's, without what it fails.
  std::vector<std::string> must_pass_of(const Mutant& mutant) const;
};

// The JSON text, a line for each area and each mutant.
std::string to_text(const Manifest& manifest);

// Both throw std::runtime_error, one line with the file's name.
std::string read_text(const std::string& path);
Manifest read_manifest(const std::string& path);

}  // namespace dlcert
