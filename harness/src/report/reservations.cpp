// SPDX-License-Identifier: Apache-2.0
#include "report/reservations.hpp"

#include <fmt/format.h>

#include "report/run_verdict.hpp"

namespace dlcert {

Reservations reservations_of(const Results& results) {
  Reservations reservations;
  for (const RequirementResult& result : results.results) {
    const bool must = result.level == Level::must;
    if (result.verdict == Verdict::not_applicable) continue;
    if (must) ++reservations.musts;
    if (result.verdict == Verdict::waived)
      ++(must ? reservations.waived_musts : reservations.waived_others);
    else if (result.verdict == Verdict::not_judged)
      ++reservations.not_judged;
    else if (result.verdict != Verdict::pass && result.verdict != Verdict::consequence)
      ++reservations.warnings;
  }
  return reservations;
}

std::string waived_text(const Reservations& reservations) {
  if (reservations.waived_musts == 0) return {};
  return fmt::format("{} of {} {} waived", reservations.waived_musts, reservations.musts,
                     reservations.musts == 1 ? "MUST" : "MUSTs");
}

std::string title_of(const Results& results, int exit_code) {
  if (results.matrix) return exit_code == exit_certified ? "no pair is broken" : "not passed";
  if (exit_code != exit_certified) return "not certified";
  if (results.filtered) return "passed, but a selection is not a certificate";
  return reservations_of(results).waived_musts == 0 ? "certified" : "certified with reservations";
}

}  // namespace dlcert
