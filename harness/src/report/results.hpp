// SPDX-License-Identifier: Apache-2.0
//
// The outcome of a run, and its JSON document (reports/schema/results.schema.json), from which
// every other format is made.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/decide.hpp"
#include "records/job.hpp"
#include "records/verdict.hpp"
#include "register/profile.hpp"
#include "register/register.hpp"
#include "report/identity.hpp"
#include "report/matrix.hpp"
#include "report/program_run.hpp"
#include "report/scope.hpp"

namespace dlcert {

// The proof that the failure of a check follows from the breach of another requirement
// (runner/consequences.hpp): the assertion that failed states a fact of that requirement, or the
// check passes with cases that lack some properties, which that requirement owns, or both end their
// process at the same place.
struct Consequence {
  std::string of;  // the requirement
  // Names of properties (suite/input_properties.hpp); empty: by the assertion or the crash.
  std::vector<std::string> without;
  std::uint64_t cases = 0;  // that exercised the check's requirement without them
};

// One check of one requirement between two parties.
struct CheckResult {
  std::string name;  // of the check
  std::string sentence;
  Role role = Role::consumer;
  Verdict verdict = Verdict::not_run;
  std::string reason;  // of not applicable, not judged, inconclusive, flaky and not run
  Platform platform = Platform::any;
  bool fact = false;  // of what the library says of itself, which is no evidence of what it does
  std::uint64_t one_in = usual_share;  // of the cases that the claims leave must meet the rule
  UnitRecord record;       // as the worker wrote it, or what the runner saw of a crash or timeout
  std::uint64_t seed = 0;  // of the unit
  // The cases, or rows, that the run asked for, where the record has requested fewer of them: each
  // takes a process of its own. 0: it has requested all.
  std::uint64_t whole = 0;
  std::string after;   // not empty: it repeats only after these checks ran, "after ..."
  std::string output;  // what the implementation printed, bounded
  std::optional<ProgramRun> program_run;  // of the saved counterexample; empty: none was saved
  // UnitRecord::wrong_values came again in a new process.
  bool values_repeated = false;
  std::optional<Consequence> consequence;
  // Requirements of which it is no consequence: it fails without the properties that they own.
  std::vector<std::string> refuted;
};

// One requirement between two parties: the key of results, seeds and waivers.
struct RequirementResult {
  std::string requirement;
  // Names. The harness's own side is "dlcert"; a runtime is the producer, without a consumer.
  std::string producer, consumer;
  Level level = Level::must;
  // Its failure counts for the exit code: it is a MUST, or what the user asked for makes it count
  // (is_binding of register/profile.hpp).
  bool binding = false;
  // Why its failure is only a warning although its level may bind (Standing::grace of
  // register/rules.hpp): "new in dlcert 0.2: it binds from dlcert 0.3 on"; empty: it is not.
  std::string grace;
  Verdict verdict = Verdict::not_run;  // decide_requirement()
  std::string reason;  // of not run, not applicable, not judged, inconclusive, waived
  std::string waiver;  // the waiver that names it, "file:line"; empty: none does
  // The requirement from whose breach each of its failures follows (apply_consequences()); empty:
  // none.
  std::string consequence_of;
  std::vector<CheckResult> checks;
};

// A line about a waiver, with the requirement that the waiver names.
struct WaiverNote {
  std::string requirement;
  std::string text;  // "waivers.toml:7: ..."
};

// The interpreter of adapters in Python.
struct PythonFacts {
  std::string path;  // of its program, as --python takes it
  std::string version;
};

// Earlier results that a run was held against.
struct Baseline {
  std::string file;
  // Conditions that are not the same, "seed: 1 in the baseline, 2 in this run".
  std::vector<std::string> differs;
  std::vector<std::string> lost;  // what was claimed or tested there and is not here
};

// The process of the libraries ended, or hung, where no check can be blamed for it.
struct Death {
  std::string when;  // "loading", "between checks", "closing", "unloading", "exiting"
  std::string how;   // "ended by SIGSEGV"
  std::uint64_t times = 1;
  // Of the first time: the requirements whose checks that process had run, in order, and what it
  // had printed.
  std::vector<std::string> after;
  std::string output;
  // Of the first time too: the adapter's functions that dlcert had called then, in order; none
  // between checks.
  std::vector<std::string> steps;
  // false: dlcert did the same again in a new process, and that went well: flaky.
  bool repeated = true;
};

// An adapter said that it is wrong itself, which ended the run: nothing was judged.
struct FaultOfAdapter {
  std::string what;    // "adapter 'python:acme.py': a fault of the adapter: ..."
  std::string output;  // what its worker had printed, such as a traceback
};

struct Results {
  bool complete = false;
  std::string dlcert_version;
  std::string started;  // UTC, ISO 8601
  double seconds = 0;
  std::uint64_t seed = 0;
  std::uint64_t cases = 0;
  unsigned repeat = 1;
  Settings settings;
  std::string policy_set{standard_policies};
  PolicyNames chosen{};  // policies whose value the user chose: Policies::chosen
  bool strict = false;
  std::string rules;      // the version that --rules named; empty: those of dlcert_version
  bool filtered = false;  // a selection ran, not the whole certification
  std::vector<AdapterInfo> adapters;
  std::optional<PythonFacts> python;  // where one of the adapters is Python's
  std::vector<RequirementResult> results;
  std::vector<WaiverNote> waiver_problems;  // expired, obsolete, unmatched: what to edit
  std::vector<WaiverNote> waiver_warnings;  // soon to expire
  Scope scope;                              // scope_of(), of a run that has ended
  std::vector<std::string> required;        // the features that must be full
  std::optional<Baseline> baseline;         // what the run was held against
  std::optional<Matrix> matrix;             // of libraries with each other
  int exit_code = 0;                        // ExitCode (run_verdict.hpp)
  std::vector<std::string> reasons;         // of the exit code, the decisive first

  // One invoker (a ctest run) of which these are the results: process id and start time; empty when
  // there is none.
  std::string invoker;
  std::optional<Identity> identity;   // of what was tested, by what and how; in a results file
  std::vector<Death> deaths;          // whatever else there is, nothing is certified with these
  std::vector<std::string> problems;  // why workers did not begin or go on, one line each
  std::optional<FaultOfAdapter> adapter_fault;
  std::map<std::string, std::uint64_t> work;  // by work_names (suite/work.hpp)
  std::vector<std::string> conditions;  // of the environment, that can weaken a run: "NAME=value"
};

// The party that a result judges, and its role; between two libraries, the producer.
const std::string& tested_party(const RequirementResult& result);
Role tested_role(const RequirementResult& result);

// What a check that did not pass says, in one line.
std::string failure_text(const CheckResult& check);

// "25 of 1000 cases, because each case runs in its own process"; empty where the check requested
// all, or did not run.
std::string share_text(const CheckResult& check);

// For each such text, the requirements that have such a check.
std::map<std::string, std::vector<std::string>> shares_of(const Results& results);

// "the library's process failed outside of checks (closing): ended by SIGSEGV, 3 times".
std::string death_text(const Death& death);

// Returns what reports say of checks that did not fail: a check that passed was slow, or a check
// that is not judged ended its process or hung.
std::vector<std::string> notes_of(const RequirementResult& result);

// What decide_requirement() asks of checks.
std::vector<Judged> judged_checks(const std::vector<CheckResult>& checks);
Verdict worst(const std::vector<CheckResult>& checks);
// Sets verdict and reason by the checks, of which there is at least one, without a waiver.
void decide_by_checks(RequirementResult& result);

// DLCERT_FAITHFUL_ERRORS and its like by name, "faithful errors", and back (throws
// std::runtime_error).
std::vector<std::string> property_names(std::uint32_t properties);
std::uint32_t property_from_name(std::string_view name);

// Texts, but for the paths of adapters, are cleaned (register/text.hpp) both ways.
std::string to_json(const Results& results);
Results results_from_json(
    std::string_view text);  // throws std::runtime_error: one line with the place

}  // namespace dlcert
