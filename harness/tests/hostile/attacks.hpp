// SPDX-License-Identifier: Apache-2.0
//
// The table of attacks: what the right verdict on each variant of the hostile library is, by the
// standard, the adapter ABI and "What a verdict rests on" of ARCHITECTURE.md.
#pragma once

#include <ostream>
#include <span>

namespace dlcert::hostile {

enum class Right {
  pass,  // nothing is held against it
  fail,  // of the check, like the next five; all others pass
  crash,
  timeout,
  flaky,
  inconclusive,
  not_judged,
  death,        // of no check: all pass
  early_death,  // the same, before the first check: it did not repeat
  stillborn,    // a death while loading, and no check is run
  unusable,     // the adapter's error, at the inventory
  at_fault,     // the same, later: nothing is judged
  problem,      // workers did not go on; no check is accused
  no_evidence,  // no check is accused, and nothing is certified
};

struct Attack {
  const char* variant;
  Right right;
  int exit_code;
  const char* where;  // the check, or when it died; "": none
  const char* text;   // to be found in what is told of it
  double case_seconds = 2;
  double load_seconds = 10;
  const char* unsanitized = nullptr;  // why it is left out under sanitizers
  bool one_worker = false;            // two need not meet in one process what it takes
  bool preflight = false;             // the run has one
};
inline void PrintTo(const Attack& attack, std::ostream* out) {
  *out << attack.variant;
}

std::span<const Attack> attacks();
std::span<const Attack> python_attacks();

}  // namespace dlcert::hostile
