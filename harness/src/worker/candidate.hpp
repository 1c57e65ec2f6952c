// SPDX-License-Identifier: Apache-2.0
//
// One case run in a process of its own, which may end that process or hang.
#pragma once

#include <functional>
#include <memory>

#include "records/records.hpp"
#include "worker/case_run.hpp"
#include "worker/parties.hpp"

namespace dlcert {

enum class CandidateEnd : std::uint8_t { survived, crashed, hung };

// Memory that a candidate's process shares with this one.
struct CandidateReport {
  ChoiceLog choices;
};

class CandidateRunner {
 public:
  CandidateRunner();
  ~CandidateRunner();
  CandidateRunner(const CandidateRunner&) = delete;
  CandidateRunner& operator=(const CandidateRunner&) = delete;

  // Forks, runs `act` there, and waits for it, at most `seconds`. It has survived when `act` gives
  // true. `waiting` is called now and then meanwhile.
  CandidateEnd run(const std::function<bool(CandidateReport&)>& act, double seconds,
                   const std::function<void()>& waiting);

  // What the last candidate chose, whether or not it survived.
  Choices choices() const;

 private:
  CandidateReport* report_;
};

}  // namespace dlcert
