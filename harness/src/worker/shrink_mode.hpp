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
  // Loads the adapters here. Anew in each candidate where the job asks for that, or loading starts
  // threads and a library takes no part in forks: no fork survives them. Throws AdapterError.
  ShrinkMode(const Job& job, const Suite& suite, Records& records, std::size_t worker);

  // The record holds the smallest case that ends its process or hangs as the unit's one case does;
  // no counterexample when that case does neither here. It is inconclusive where one hangs in a
  // fork of a process in which the libraries have threads, which may have held a lock.
  UnitRecord shrink(const Unit& unit);

 private:
  void run_case_of(const Unit& unit, const std::optional<Choices>& choices, bool described,
                   CandidateReport& report);
  CandidateEnd try_case(const Unit& unit, const std::optional<Choices>& choices, bool described);
  bool can_be_forked_when_loaded();
  double loading_seconds() const;
  void load(CandidateReport& report);

  const Job& job_;
  const Suite& suite_;
  Records& records_;
  std::size_t worker_;
  Position& position_;
  CandidateRunner candidates_;
  bool hung_among_threads_ = false;   // a candidate of the present unit
  std::unique_ptr<Parties> parties_;  // NULL: loaded by each candidate
};

}  // namespace dlcert
