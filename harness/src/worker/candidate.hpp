// SPDX-License-Identifier: Apache-2.0
//
// One case run in a process of its own, which may end that process or hang.
#pragma once

#include <atomic>
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
  // How long it took to load the libraries there; the time of the case begins behind that.
  std::atomic<double> loading_seconds;
  std::atomic<bool> loading;
};

class CandidateRunner {
 public:
  CandidateRunner();
  ~CandidateRunner();
  CandidateRunner(const CandidateRunner&) = delete;
  CandidateRunner& operator=(const CandidateRunner&) = delete;

  // Forks, runs `act` there, and waits for it, at most `seconds`, or, while it says that it is
  // loading, `loading_seconds`. It has survived when `act` gives true. `waiting` is called now and
  // then meanwhile.
  struct TimeLimits {
    double seconds = 0;
    double loading_seconds = 0;
  };
  CandidateEnd run(const std::function<bool(CandidateReport&)>& act, TimeLimits limits,
                   const std::function<void()>& waiting);

  // What the last candidate chose, whether or not it survived.
  Choices choices() const;

 private:
  CandidateReport* report_;
};

}  // namespace dlcert
