// SPDX-License-Identifier: Apache-2.0
//
// A run of libraries with each other: which of them can be in one process, each against the
// harness, then the pairs.
#pragma once

#include <string>
#include <vector>

#include "register/selection.hpp"
#include "report/results.hpp"
#include "runner/pair_plan.hpp"
#include "runner/runner.hpp"
#include "runner/together.hpp"

namespace dlcert {

class MatrixRun {
 public:
  // All outlive it; `inventory` is of all libraries.
  MatrixRun(const Register& known, const Selection& selection, const RunOptions& options,
            const Strictness& strictness, Inventory& inventory)
      : known_{known},
        selection_{selection},
        options_{options},
        strictness_{strictness},
        inventory_{inventory} {}

  // Finds out which libraries clash, and, where `preflight` says so, tries what each claims: throws
  // CommandError where one's adapter is wrong.
  void prepare(bool preflight);

  // Without what is barred by a clash or by a side that breaks against the harness alone.
  Plan plan() const { return pairs({}); }

  // The results of all pairs, with their matrix but for its cells.
  Results run(const RunObserver& observer) const;

 private:
  // The part of a plan that is for one process.
  struct Part {
    Plan plan;
    Inventory inventory;
    RunOptions options;
  };
  Part part_of(const std::vector<std::size_t>& group) const;
  std::vector<Part> parts_of(const Plan& plan) const;
  std::vector<BarredPair> barred_by(const Results& controls) const;
  Plan pairs(std::vector<BarredPair> barred) const;
  Results execute_in_parts(const Plan& plan, const RunObserver& observer) const;

  const Register& known_;
  const Selection& selection_;
  const RunOptions& options_;
  const Strictness& strictness_;
  Inventory& inventory_;
  Together together_;
};

}  // namespace dlcert
