// SPDX-License-Identifier: Apache-2.0
//
// The faults of a library: each is a requirement that it broke, with the requirements whose
// failures are proven to follow from that (CheckResult::consequence).
#pragma once

#include <string>
#include <vector>

#include "register/register.hpp"
#include "report/results.hpp"

namespace dlcert {

// Sets RequirementResult::consequence_of, and the verdicts that follow from it (decide_follower()),
// of the results to which waivers were applied. Related are the results of one library, in
// whatever role, and those between the same two libraries.
void apply_consequences(Results& results, const Register& known);

struct Fault {
  const RequirementResult* broken = nullptr;           // of the results
  std::vector<const RequirementResult*> consequences;  // of the results, the simplest first

  // The same in runs with other seeds: "abi.dtype.bool-code/acme/consumer", or of a crash
  // "SIGSEGV in libacme.so+0x1234/acme/consumer".
  std::string id() const;
  // It keeps the exit code from being 0.
  bool counts() const;
};

// The failed check that shows a fault: the first that follows from nothing, else the first. NULL:
// the requirement failed without a check.
const CheckResult* fault_check(const RequirementResult& result);

// Both end the process at the same place in the code.
bool crash_alike(const RequirementResult& one, const RequirementResult& other);

// The broken requirements that follow from nothing: first the faults that count; if an assertion
// shows one in memory or deletion, the crashes come last. Then those with the most consequences,
// then by simplicity: the least product of steps, choices and the case's index (each plus one) of a
// counterexample. Those without one come last; ties stay in the order of the results.
std::vector<Fault> faults_of(const Results& results);

// The results that follow from this one, the simplest first.
std::vector<const RequirementResult*> consequences_of(const Results& results,
                                                      const RequirementResult& owner);

// "6 faults, 25 requirements affected".
std::string count_text(const std::vector<Fault>& faults);

// Why a result follows from another: "passes without a byte offset (21 cases)". Empty: it does not.
std::string proof_text(const RequirementResult& result);

}  // namespace dlcert
