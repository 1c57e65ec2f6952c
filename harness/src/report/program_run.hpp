// SPDX-License-Identifier: Apache-2.0
//
// What came of running the program of a saved counterexample once, without dlcert. No verdict
// depends on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dlcert {

struct ProgramRun {
  enum class State : std::uint8_t {
    confirmed,      // it showed the fault
    not_confirmed,  // it did not
    not_run,
  };
  State state = State::not_run;
  // What it did instead, or why it was not run. Confirmed: empty, or what showed the fault in the
  // place of the program that calls the library.
  std::string reason;
};

// "confirmed", "not confirmed without dlcert", "not run".
std::string_view to_text(ProgramRun::State state);
// The other way. Throws std::runtime_error for another text.
ProgramRun::State program_state_from_text(std::string_view text);

// With the reason: "not run: no C compiler".
std::string to_text(const ProgramRun& run);

}  // namespace dlcert
