// SPDX-License-Identifier: Apache-2.0
//
// The one place where verdicts are decided, from facts: what the worker recorded, how it ended,
// whether that repeated, and what the waivers say. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "records/job.hpp"
#include "records/verdict.hpp"

namespace dlcert {

// How a unit ended, as the runner saw it.
enum class UnitEnd : std::uint8_t {
  missing,    // no worker ran it
  recorded,   // its record is sealed
  damaged,    // its record is sealed, but cannot be read
  crashed,    // its worker ended by itself, in a case of the unit or right behind it
  hung,       // a case exceeded the time limit
  exhausted,  // a case exceeded the memory limit
};

// What is known of one check between two parties.
struct CheckFacts {
  UnitEnd end = UnitEnd::missing;
  const UnitRecord& record;
  std::uint64_t one_in = usual_share;  // Check::one_in
  std::string_view problem = {};       // of missing and damaged: the cause, as far as it is known
  bool repeated = true;                // false: what went wrong did not go wrong again
  std::string_view own_fault = {};     // of crashed: what the harness did wrong itself, if it did
  std::string_view limit = {};         // of dlcert's own, that the case met before its worker ended
};

struct Decision {
  Verdict verdict = Verdict::not_run;
  std::string reason = {};  // of not applicable, not judged, inconclusive, flaky and not run
};

// The verdict on a check. Of a failure, crash or timeout, the record's message says more.
Decision decide_check(const CheckFacts& facts);

// The verdict on a check whose unit was run to its end and recorded: a pass where enough of the
// cases that were asked exercised the requirement.
Decision decide_record(const UnitRecord& record, std::uint64_t one_in = usual_share);

// The cases that the library's claims leave.
std::uint64_t asked_cases(const UnitRecord& record);

// Every case was discarded: the check has tested nothing.
bool ran_no_case(const UnitRecord& record);

// What the waivers say of a requirement.
enum class Waiving : std::uint8_t {
  none,
  failures_accepted,  // each check that failed may fail
  failure_expected,   // a check must fail, but none did
};

// What is known of a judged check for the verdict on its requirement.
struct Judged {
  Verdict verdict = Verdict::not_run;
  std::uint64_t met = 0, asked = 0;  // cases
  std::uint64_t one_in = usual_share;
};

// The verdict on a requirement: the worst of its checks, unless a waiver changes it. `applies`:
// whether it can be tested between its parties at all. Checks that are not judged do not count
// where the cases of the others exercised it often enough.
Verdict decide_requirement(bool applies, std::span<const Judged> checks, Waiving waiving);

// A requirement whose every failed check follows from the breach of another one, its owner.
struct Follower {
  Verdict verdict = Verdict::fail;  // its own, after waivers
  bool binding = false;             // its failure counts for the exit code
  bool corrupts = false;            // its breach corrupts data (Requirement::about), or it crashed
  bool owner_binding = false;
  bool owner_too_new = false;  // RequirementResult::grace
  bool owner_waived = false;
};

// The verdict on such a requirement: its failure is a consequence, which counts as its owner's
// does. What corrupts data is no mere warning because its owner is: it keeps its verdict, or is
// waived with its owner. So does what failed before its owner was a rule at all.
Verdict decide_follower(const Follower& follower);

}  // namespace dlcert
