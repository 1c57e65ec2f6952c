// SPDX-License-Identifier: Apache-2.0
//
// The smallest case that still kills its process, found by running candidates in forks of a process
// that has loaded the adapters but never called them.
#pragma once

#include <optional>

#include "worker/candidate.hpp"
#include "worker/job.hpp"
#include "worker/records.hpp"

namespace dlcert {

class ShrinkMode {
 public:
  // Loads the adapters here, or, where loading starts threads, which no fork survives, anew in each
  // candidate. Throws AdapterError.
  ShrinkMode(const Job& job, const Suite& suite, Records& records, std::size_t worker);

  // The record of the unit's smallest death, or of a "pass" when the case does not die here.
  UnitRecord shrink(const Unit& unit);

 private:
  struct Death;
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
