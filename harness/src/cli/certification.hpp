// SPDX-License-Identifier: Apache-2.0
//
// A run from its options to its verdict, as `certify`, `run` and `verdict` share it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/matrix_run.hpp"
#include "cli/options.hpp"
#include "python/locator.hpp"
#include "register/register.hpp"
#include "report/results.hpp"
#include "report/run_verdict.hpp"
#include "report/waivers.hpp"
#include "runner/programs.hpp"
#include "runner/runner.hpp"

namespace dlcert {

class Certification {
 public:
  // Reads and checks all that was asked for, and starts nothing but the interpreter of Python
  // adapters, where `adapters` were not found before. Throws CommandError, std::invalid_argument or
  // std::runtime_error (one line).
  Certification(const Options& options, const Register& known,
                std::optional<LocatedAdapters> adapters = std::nullopt);

  // Loads the adapters and makes the plan. Throws CommandError when an adapter does not work (exit
  // code 2) or nothing is selected (3).
  void prepare();

  // Reads the files that are tested, whose digests the results then hold.
  void take_digests() { dlcert::take_digests(identity_.emplace(what_runs_)); }

  // Runs the plan, applies the waivers and judges. `observer` sees incomplete results with the same
  // heading. Throws CommandError (2) when an adapter, the worker or a library was replaced
  // meanwhile.
  void run(const RunObserver& observer);

  // Notes in the results what the programs of the counterexamples do that are saved there.
  void run_programs(const std::filesystem::path& saved);

  Results blank() const;  // incomplete results, before anything ran
  const Results& results() const { return results_; }
  const RunVerdict& verdict() const { return verdict_; }
  const std::vector<Waiver>& waivers() const { return waivers_; }

 private:
  void read_replay(const std::string& path);
  void read_baseline(const std::string& path);
  LocatedAdapters adapters_of_options() const;
  void label(Results& results) const;
  void prepare_matrix();

  const Options& options_;
  const Register& known_;
  Selection selection_;
  RunOptions run_options_;
  Policies policies_;  // of a replay as they were
  Strictness strictness_;
  std::vector<Waiver> waivers_;
  std::optional<Results> replay_;
  std::optional<Results> baseline_;
  std::string invoker_;
  std::optional<Interpreter> interpreter_;
  Identity what_runs_;
  std::optional<Identity> identity_;  // the same with digests
  Inventory inventory_;
  Plan plan_;
  std::optional<MatrixRun> matrix_;
  Results results_;
  RunVerdict verdict_;
};

Date today();

}  // namespace dlcert
