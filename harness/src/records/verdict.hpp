// SPDX-License-Identifier: Apache-2.0
//
// The verdicts on a check and on a requirement, and their texts. Which one it is, decide.hpp says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dlcert {

enum class Verdict : std::uint8_t {
  pass,
  fail,
  crash,            // the library ended the worker, or took too much memory
  timeout,          // a case took too long
  inconclusive,     // nothing can be said of the library
  flaky,            // it failed once, and not again with the same seed
  waived,           // it failed, which a waiver accepts
  unexpected_pass,  // it passed, although a waiver says that it fails
  consequence,      // it failed, which follows from the breach of another requirement
  not_judged,       // a limit of dlcert's own, which the reason names
  not_applicable,
  not_run,
};
inline constexpr std::size_t verdict_count = 12;

// "pass", "fail", ..., "unexpected pass", "consequence", "not judged", "not applicable", "not run".
std::string_view to_text(Verdict verdict);
// The other way. Throws std::runtime_error for another text.
Verdict verdict_from_text(std::string_view text);

// The library broke the rule: fail, crash or timeout.
bool broken(Verdict verdict);

// A waiver may accept it: broken, flaky or inconclusive.
bool can_be_waived(Verdict verdict);

// The worst of the verdicts on a requirement's checks, by: crash, timeout, fail, inconclusive,
// flaky, not run, not judged, pass, not applicable. So a requirement with one pass and checks that
// do not apply passes. Not run when there is no check.
Verdict worst(std::span<const Verdict> checks);

}  // namespace dlcert
