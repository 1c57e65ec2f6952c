// SPDX-License-Identifier: Apache-2.0
//
// Executes a plan: starts workers, watches them, survives whatever they do, and gives each planned
// check the verdict that the facts amount to.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/results.hpp"
#include "runner/plan.hpp"

namespace dlcert {

struct RunOptions {
  std::string worker;  // path of the worker executable
  std::vector<AdapterSource> adapters;
  Settings settings;
  std::uint64_t seed = 0;
  std::uint64_t cases = 1000;
  unsigned repeat = 1;  // whole plan, each time with another derived seed
  unsigned jobs = 0;    // parallel workers; 0: the number of cores
  // A case that takes longer gets a note; one that has not ended after five times that has hung.
  double case_seconds = 5;
  double load_seconds = 30;                 // loading and opening all adapters
  std::uint64_t memory_bytes = 2ull << 30;  // resident size above the size after loading
  int shrink_candidates = 200;
  double shrink_seconds = 60;
  // Saved programs that are run at the end: each costs a start or a compilation, and a hang its
  // limit.
  std::size_t most_programs = 20;
  // The words before a program by which it runs over simulated devices of CUDA, as the cases did;
  // none: there are no such devices outside of a worker.
  std::vector<std::string> over_simulated_devices;
  // The folder of the package dlcert_reference, with which a program in Python must not fail.
  std::string reference;
  // The adapter of dlcert's reference, with which a program in C must not fail.
  std::string reference_adapter;
  bool shrink_crashes = true;  // and hangs
  // false: what goes wrong is not repeated in a fresh worker, not shrunk and not described. For one
  // who asks whether it goes wrong, and not why; a certification asks both.
  bool explain = true;
  // What goes wrong is repeated in one fresh worker, and not each in one of its own: where loading
  // the libraries costs more than checks do.
  bool repeat_together = false;
};

struct Progress {
  std::size_t done = 0, total = 0;  // units
  std::string_view requirement;     // one that just finished
};

// Called by execute from its own thread: for progress bars and for rewriting the incomplete results
// file.
struct RunObserver {
  std::function<void(const Progress&)> progress;
  std::function<void(const Results& so_far)> checkpoint;  // at most once a second
};

// Asks the worker what it and the adapters offer, on devices of the driver and under the limits of
// the options, of which nothing else counts; a case is one question. A module that cannot be loaded
// (or ends the worker while it is loaded) has its AdapterInfo::error set; throws std::runtime_error
// when the worker itself does not work.
Inventory take_inventory(const RunOptions& options);

// Runs the plan and returns complete results without waivers applied and with exit_code 0: judging
// the whole is the caller's (report/run_verdict.hpp). Every planned requirement has a result; every
// unit that was planned and not reported says why. On return no process that a worker started is
// left.
Results execute(const Plan& plan, const Inventory& inventory, const RunOptions& options,
                const RunObserver& observer);

}  // namespace dlcert
