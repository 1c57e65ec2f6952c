// SPDX-License-Identifier: Apache-2.0
//
// What a runner asks of a worker, and what a worker answers. Both travel as JSON through Records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/claimed_tensors.hpp>
#include <dlcert/suite/input_properties.hpp>

#include "records/adapter_source.hpp"
#include "register/profile.hpp"

namespace dlcert {

// The parties of a unit: indices into Job::adapters; spy_index is the harness's own side.
inline constexpr int spy_index = -1;

// One check between two parties, with a seed: a number of cases that one worker runs in order.
struct Unit {
  std::uint32_t check = 0;  // index into the suite
  int producer = spy_index;
  int consumer = spy_index;
  std::uint64_t seed = 0;  // from which the seed of each case is made
  Platform platform = Platform::any;
  bool process_per_case = false;
  std::uint64_t cases = 0;  // requested; of a table, as many as it has rows, unless it says:
  // The rows of a table of which only so many cases are run (share.hpp); 0: case i is row i.
  std::uint64_t spread_over = 0;
  // Set to run one case only, described: its own seed and position, or given choices.
  std::optional<std::uint64_t> only_case = {};
  std::optional<Choices> choices = {};
  // Cases whose input has one of these are drawn again.
  InputProperties without = 0;
};

// How the harness's own side is called.
inline constexpr std::string_view own_name = "dlcert";

// The names of the parties of a unit; a runtime is the producer, without a consumer.
struct PartyNames {
  std::string_view producer;
  std::string_view consumer;
};

// Those of a unit in which the harness itself is the counterpart of `tested`.
PartyNames names_with_harness(Role role, std::string_view tested);

// How a unit is known in every run: what its seed is made of.
struct UnitName {
  std::string_view requirement;
  std::string_view check;  // Check::name
  Role role = Role::consumer;
  Platform platform = Platform::any;
  PartyNames parties;
};

// The seed of a unit in a run with `run_seed`. It does not depend on what else is run.
std::uint64_t unit_seed(std::uint64_t run_seed, const UnitName& unit);

// An adapter that a worker has loaded, as it describes itself.
struct AdapterInfo {
  std::string path, name, version;
  Standards declared;  // DLPack's version: what the preflight finds in its exports and requests
  bool producer = false, consumer = false;
  bool enumerates = false;  // the role runtime
  std::uint32_t properties = 0;
  Needs offers = 0;
  bool fork_hooks = false;  // it takes part in forks, as libraries in an interpreter do
  std::map<std::string, std::vector<std::string>> groups;  // group -> functions found
  // The kinds of tensors that each role claims (preflight.hpp); empty: not asked.
  std::optional<std::map<std::string, std::vector<std::string>>> claims;
  // By role, the vendors on whose devices it claims no tensor; those that were not asked are not
  // among them.
  std::map<std::string, std::vector<Platform>> no_tensors_on;
  // By role, the tensors that it claims; empty where nobody has asked.
  std::map<std::string, std::vector<ClaimedTensors>> tensors;
  std::string note;    // what a user of it should know; one line, or empty
  std::string error;   // not empty: it could not be loaded or is not valid; one line
  std::string output;  // what it printed then; the runner's, does not travel
};

struct Job {
  enum class Mode : std::uint8_t {
    // No unit is run: the suite's checks, and each adapter's name, roles and groups (an Inventory
    // in the place of the record of unit 0).
    describe,
    // Workers claim units until none is left.
    run,
    // Workers claim units, each with `choices` or `only_case`, that crash or hang, and record the
    // smallest case that still does, found by running candidates in forks of a process that has
    // loaded the adapters but never called them.
    shrink,
    // No unit's check is run: Unit::check is a PreflightStage (preflight.hpp), Unit::producer an
    // adapter, the record a PreflightFindings.
    preflight,
    // No unit's check is run: all adapters are loaded in order and stay so, adapter i in case i of
    // unit 0; the record a LoadedTogether (loaded.hpp).
    load,
  };
  Mode mode = Mode::run;
  std::vector<AdapterSource> adapters;
  // What the adapters said of themselves when they were asked what they offer; a worker to which
  // one describes itself otherwise runs nothing. Empty: nobody has asked.
  std::vector<AdapterInfo> described;
  Settings settings;
  std::vector<Unit> units;
  Platform platform = Platform::any;  // of all units
  // A worker ends (finished) after so many units; 0: when none is left to claim.
  std::uint32_t units_per_worker = 0;
  bool explain = true;  // the first failure of a unit is shrunk and described
  // In shrink mode: the limit of one candidate, and whether each loads the adapters itself.
  double case_seconds = 5;
  bool load_each_candidate = false;
  int shrink_candidates = 200;
  double shrink_seconds = 60;
  // In describe mode: the worker reports only what the adapters claim on the devices of unit 0's
  // platform. Another worker reports the rest.
  bool only_device_claims = false;
};

// Returns whether the workers of such a job load libraries with dlcert's drop-in runtimes. In mode
// load they do not: whether libraries load together does not depend on dlcert's devices.
bool has_drop_ins(const Job& job);

// The interpreter whose program the workers of such a job run; empty: none.
std::string interpreter_of(const Job& job);

// Returns whether the records of such a job are no UnitRecords.
inline bool records_are_texts(Job::Mode mode) {
  return mode != Job::Mode::run && mode != Job::Mode::shrink;
}

struct Counterexample {
  Choices choices;
  std::uint64_t case_index = 0;
  int size = 0;
  int steps = 0;                            // shrinking steps from the first failing case
  std::vector<std::string> trace;           // lines for people
  std::vector<std::string> program;         // C statements of the same calls
  std::vector<std::string> recording = {};  // Failure::recording
};

// An event of a described case: a line of text and a C statement, either of which may be empty.
using TraceEvent = std::pair<std::string, std::string>;

// In place of a statement that is longer than longest_text.
inline constexpr std::string_view too_long = "too long";

// Adds the events of a described case. A statement that is too long leaves no program.
void add_trace(Counterexample& example, const std::vector<TraceEvent>& events);
// Or as Records::read_trace() gives them: lines, each of an event, or of a withdrawal: what was
// told behind so many events is void.
void add_trace(Counterexample& example, std::string_view lines);
std::string to_line(const TraceEvent& event);
std::string withdrawal_line(std::size_t kept);

// What the cases that passed showed of the library (suite/evidence.hpp), each counted in cases.
struct EvidenceCounts {
  std::uint64_t made = 0;
  std::uint64_t handed_over = 0;
  std::uint64_t found = 0;
  std::uint64_t by_export = 0;
};

// Begins a warning about an error that nobody could catch (dlcert_python_group::unraisable).
inline constexpr std::string_view unraisable_prefix = "an error that nobody could catch: ";

// What a worker found in a unit: facts. The verdict on them is decided elsewhere (decide.hpp).
struct UnitRecord {
  std::string inapplicable = {};  // why the check cannot be run between its parties; empty: it can

  // The cases by how they ended, up to the first failure that is not minor (Case::minor).
  std::uint64_t requested = 0;
  std::uint64_t cases = 0;  // passed, or failed
  std::uint64_t met = 0;    // of these: the rule was touched
  std::map<std::string, std::uint64_t> devices =
      {};                             // of met, by DLPack's type of a tensor's device
  std::uint64_t declined = 0;         // the library did, as it may, what keeps the rule untouched
  std::uint64_t not_judged = 0;       // met a limit of dlcert's own
  std::uint64_t inconclusive = 0;     // saw nothing that a verdict can rest on
  std::uint64_t unclaimed = 0;        // take what the library does not claim
  std::uint64_t no_tensor = 0;        // of these: could take any tensor, and none is claimed
  std::uint64_t not_formable = 0;     // cannot be formed by the library's interface
  std::uint64_t discarded = 0;        // drew nothing that the check can use
  std::string why_inconclusive = {};  // the first of these cases
  std::string what_unclaimed = {};    // in the first of these cases
  std::string why_declined = {};      // likewise
  std::map<std::string, std::uint64_t> limits = {};  // of not_judged, by name
  EvidenceCounts evidence = {};

  bool failed = false;  // a case failed: what follows is of the smallest one that still fails
  std::string message = {}, expected = {}, found = {};
  std::vector<std::string> owners = {};  // Failure::owners
  InputProperties inputs = 0;            // also of a case that ends its process or hangs
  // Of a case that ends its process by a signal: Position::signature and Position::frames.
  std::string signature = {}, frames = {};
  // Also of a case that ends its process or hangs (Job::Mode::shrink).
  std::optional<Counterexample> counterexample = {};
  // The failure is an error of the library (Failure::is_error), no other case failed, and the
  // same case passed when it was repeated at once in the same process.
  bool happened_once = false;

  // The first export of a producer with other values than its source, in a case that may be about
  // another rule; empty: none.
  std::string wrong_values = {};

  std::uint64_t nanoseconds = 0;
  std::map<std::string, std::uint64_t> observations = {};  // by bodies, counted
  std::vector<std::string> warnings = {};                  // distinct, of the library, bounded

  // Of a check of pairs: what became of the dtypes in their layouts, "found", "refused" or
  // "failed", and what the first of those that were not found said, by "dtype layout".
  std::map<std::string, std::map<std::string, std::vector<std::string>>> parts = {};
  std::map<std::string, std::string> part_texts = {};
};

// Why a library that declares these properties is not asked on the platform; empty: it is.
std::string built_for_another(std::uint32_t properties, Platform platform);
std::string_view to_text(Platform platform);         // "any", "cuda", "rocm"
Platform platform_from_text(std::string_view text);  // throws std::runtime_error for another text

// A check of the suite, as a worker describes it.
struct CheckInfo {
  std::string requirement, name = {}, sentence = {};  // as Check
  Role role = Role::consumer;
  std::uint64_t rows = 0;
  Needs needs = 0;
  bool own_process = false;
  bool process_per_case = false;
  std::uint64_t processes = usual_processes;  // Check::processes
  Platform platform = Platform::any;
  bool device_tensors = false;         // Check::device_tensors
  std::uint64_t one_in = usual_share;  // of the cases that the claims leave must meet the rule
  bool fact = false;                   // Check::fact
  bool pair = false;                   // Check::pair
};

// A process that ended or hung before the first check: it was asked what the adapters claim, or it
// ran the preflight. dlcert then did the same again in a new process.
struct EarlyDeath {
  std::string when;  // "claims", "closing", "preflight", ...
  std::string how;   // "ended by SIGSEGV"
  std::string output;
  std::vector<std::string> steps;  // the adapter's functions that were called; the last is at fault
  bool repeated = false;           // the new process ended or hung too
};

// A tensor that arrived with other values in the preflight.
struct EarlyValues {
  std::string adapter;
  Role role = Role::consumer;
  std::string text;  // the tensor, and what was found
};

// What a worker can run, and between whom: the answer to Job::Mode::describe.
struct Inventory {
  std::vector<CheckInfo> checks;
  std::vector<AdapterInfo> adapters;
  std::string build;  // of the worker: own_build()
  std::vector<std::string>
      modules;  // the files of all shared objects, also of those while the adapters were loaded
  // The runner's, which do not travel:
  std::vector<EarlyDeath> deaths;
  std::vector<EarlyValues> wrong_values;
};

// Of what the calling program was built: its version and its register. A runner and its workers
// must be of one build.
std::string own_build();

// Adds `more` to `all`, where the same tensors in other memories are one entry.
void add_claimed(std::vector<ClaimedTensors>& all, ClaimedTensors more);

// As it is written and read: what the adapter says of itself is cleaned (register/text.hpp).
AdapterInfo cleaned(AdapterInfo adapter);

// Texts of implementations are cleaned (register/text.hpp) both ways. Reading, each throws
// std::runtime_error (one line) for text that is not JSON, lacks a member, or has a value that its
// writer does not write.
std::string to_json(const Job& job);
Job job_from_json(std::string_view text);
std::string to_json(const UnitRecord& record);
UnitRecord record_from_json(std::string_view text);
std::string to_json(const Inventory& inventory);
Inventory inventory_from_json(std::string_view text);

}  // namespace dlcert
