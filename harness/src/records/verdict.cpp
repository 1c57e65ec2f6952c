// SPDX-License-Identifier: Apache-2.0
#include "records/verdict.hpp"

#include <algorithm>
#include <array>

#include "register/enum_texts.hpp"

namespace dlcert {
namespace {

constexpr std::array<std::string_view, verdict_count> texts{
    "pass",         "fail",       "crash",          "timeout",
    "inconclusive", "flaky",      "waived",         "unexpected pass",
    "consequence",  "not judged", "not applicable", "not run"};

}  // namespace

std::string_view to_text(Verdict verdict) {
  return texts.at(static_cast<std::size_t>(verdict));
}

Verdict verdict_from_text(std::string_view text) {
  return enum_from_text<Verdict>(text, texts, "verdict");
}

bool broken(Verdict verdict) {
  return verdict == Verdict::fail || verdict == Verdict::crash || verdict == Verdict::timeout;
}

bool can_be_waived(Verdict verdict) {
  return broken(verdict) || verdict == Verdict::flaky || verdict == Verdict::inconclusive;
}

Verdict worst(std::span<const Verdict> checks) {
  constexpr std::array order{Verdict::crash,        Verdict::timeout, Verdict::fail,
                             Verdict::inconclusive, Verdict::flaky,   Verdict::not_run,
                             Verdict::not_judged,   Verdict::pass,    Verdict::not_applicable};
  for (const Verdict verdict : order)
    if (std::ranges::find(checks, verdict) != checks.end()) return verdict;
  return Verdict::not_run;
}

}  // namespace dlcert
