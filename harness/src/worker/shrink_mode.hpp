// SPDX-License-Identifier: Apache-2.0
//
// The smallest case that still ends its process or hangs, found by running candidates in forks of a
// process that has loaded the adapters but never called them.
#pragma once

#include <optional>

#include "records/job.hpp"
#include "records/records.hpp"
#include "worker/candidate.hpp"

namespace dlcert {

class ShrinkMode {
 public:
  // Loads the adapters here, or, where loading starts threads, which no fork survives, anew in each
  // candidate. Throws AdapterError.
  ShrinkMode(const Job& job, const Suite& suite, Records& records, std::size_t worker);

  // The record holds the smallest case that ends its process or hangs as the unit's one case does;
  // no counterexample when that case does neither here.
  UnitRecord shrink(const Unit& unit);

 private:
  void run_case_of(const Unit& unit, const std::optional<Choices>& choices, bool described,
                   CandidateReport& report);
  CandidateEnd try_case(const Unit& unit, const std::optional<Choices>& choices, bool described);
  bool loading_starts_threads();

  const Job& job_;
  const Suite& suite_;
  Records& records_;
  std::size_t worker_;
  Position& position_;
  CandidateRunner candidates_;
  std::unique_ptr<Parties> parties_;  // NULL: loaded by each candidate
};

}  // namespace dlcert
