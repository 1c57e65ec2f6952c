// SPDX-License-Identifier: Apache-2.0
//
// fixtures/mutants/manifest.json: which requirement finds which planted fault.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dlcert {

struct Mutant {
  std::string id;
  std::string area;
  std::string bug;    // the entry of fixtures/bugs.json that it plants; empty: a fault of our own
  std::string fault;  // one line
  std::string must_fail;  // requirement
  std::string
      spec;  // the DLPack version to certify for, where the rule does not hold in the newest
  std::map<std::string, std::string>
      policies;                        // other than the defaults, where the rule needs them
  std::vector<std::string> must_pass;  // requirements that the fault does not touch
};

struct NotPlanted {
  std::string bug;
  std::string reason;
};

struct Manifest {
  std::vector<Mutant> mutants;
  std::vector<NotPlanted> not_planted;
};

// Throws std::runtime_error, one line with the file's name.
Manifest read_manifest(const std::string& path);

// What is wrong with the manifest, one line each: duplicate or unknown IDs, mutants without a
// source file or sources without an entry, real bugs of these areas that are neither planted nor
// excused, checked MUSTs that no mutant makes fail.
std::vector<std::string> problems(const Manifest& manifest, const std::string& bugs_path,
                                  const std::string& sources);

}  // namespace dlcert
