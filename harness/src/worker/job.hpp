// SPDX-License-Identifier: Apache-2.0
//
// What a runner asks of a worker, and what a worker answers per unit. Both travel as JSON through
// Records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert {

// The parties of a unit: indices into Job::adapters; spy_index is the harness's own side.
inline constexpr int spy_index = -1;

struct Unit {
  std::uint32_t check = 0;  // index into the suite
  int producer = spy_index;
  int consumer = spy_index;
  std::uint64_t seed = 0;  // of the whole unit
  Platform platform = Platform::any;
  bool process_per_case = false;
  std::uint64_t cases = 0;  // requested; a check with rows runs each row once instead
  // Set to run one case only, described: its own seed and position, or given choices.
  std::optional<std::uint64_t> only_case = {};
  std::optional<Choices> choices = {};
};

struct Job {
  enum class Mode : std::uint8_t {
    describe,  // no unit: the suite's checks, and each adapter's name, roles, groups (one record,
               // unit 0)
    run,       // claims units until none is left
    shrink,    // claims units, each with `choices` or `only_case`, that crash or hang: the smallest
             // case that still does, found by running candidates in forks of a process that loaded
             // the adapters but never called them
  };
  Mode mode = Mode::run;
  std::vector<std::string> adapters;  // absolute paths of modules
  Settings settings;
  std::vector<Unit> units;
  Platform platform = Platform::any;  // of all units
  std::uint32_t units_per_worker =
      0;  // a worker ends (finished) after so many units; 0: when none is left to claim
  double case_seconds = 5;  // limit of one candidate in shrink mode
  int shrink_candidates = 200;
  double shrink_seconds = 60;
};

struct Counterexample {
  Choices choices;
  std::uint64_t case_index = 0;
  int size = 0;
  int steps = 0;                     // shrinking steps from the first failing case
  std::vector<std::string> trace;    // lines for people
  std::vector<std::string> program;  // C statements of the same calls
};

struct UnitRecord {
  // pass, fail, inconclusive, not applicable; crash and timeout only in shrink mode (of the
  // smallest candidate).
  std::string verdict = {};
  std::uint64_t cases = 0;  // judged
  std::uint64_t requested = 0;
  std::uint64_t unclaimed = 0;  // cases that the library does not claim
  std::uint64_t not_formable = 0;
  std::uint64_t discarded = 0;
  std::uint64_t nanoseconds = 0;
  std::string message = {}, expected = {}, found = {};
  std::string reason = {};  // of not applicable or inconclusive
  std::map<std::string, std::uint64_t> observations = {};
  std::vector<std::string> warnings = {};  // distinct, of the library, bounded
  std::optional<Counterexample> counterexample = {};
  std::uint32_t worker = 0;  // which worker, and the how-manyeth unit of it
  std::uint32_t order = 0;
};

// What describe answers.
struct CheckInfo {
  std::string requirement, sentence;
  Role role = Role::consumer;
  std::uint64_t rows = 0;
  Needs needs = 0;
  bool own_process = false;
  bool process_per_case = false;
  Platform platform = Platform::any;
};
struct AdapterInfo {
  std::string path, name, version, runtime;
  bool producer = false, consumer = false;
  bool enumerates = false;  // the role runtime
  std::uint32_t properties = 0;
  Needs offers = 0;
  std::map<std::string, std::vector<std::string>> groups;  // group -> functions found
  std::string error;  // not empty: it could not be loaded or is not valid; one line
};
struct Inventory {
  std::vector<CheckInfo> checks;
  std::vector<AdapterInfo> adapters;
};

std::string to_json(const Job& job);
Job job_from_json(std::string_view text);  // throws std::runtime_error
std::string to_json(const UnitRecord& record);
UnitRecord record_from_json(std::string_view text);
std::string to_json(const Inventory& inventory);
Inventory inventory_from_json(std::string_view text);

}  // namespace dlcert
