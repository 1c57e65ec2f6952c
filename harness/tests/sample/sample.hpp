// SPDX-License-Identifier: Apache-2.0
//
// A register, an inventory and results small enough to be read, for the tests of several folders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "register/register.hpp"
#include "report/results.hpp"

namespace dlcert::sample {

// Area "kept": kept.alpha (MUST, both), kept.beta (SHOULD, consumer), kept.gamma (MUST, producer,
// since DLPack 1.2), kept.delta (MAY, consumer, until DLPack 1.0), kept.hardware (MUST,
// hardware-only), kept.excused (MUST, excused), kept.torch (MUST, about values, since torch 2.4),
// kept.late (MUST, consumer, only in the rules of dlcert 90.1);
// area "bare" without checks: bare.one (MUST). One policy, "taste": sweet (default) | sour (in the
// set interop) | record. Three features: "kept", a core one, shown by kept.alpha and whole without
// kept.beta; "bare"; and "python", which no adapter can claim.
Register sample_register();

// One check for each role of kept.alpha, one for each other rule that can be tested; two adapters:
// "acme" 2.1 with both roles and "sink" 1.0, a consumer that declares torch-2.4.
Inventory inventory();

CheckResult check(Verdict verdict, std::string message);
RequirementResult result(std::string requirement, Level level, Verdict verdict,
                         std::string message);

// acme 2.1 as consumer: passes kept.alpha, nothing else. Complete, not filtered.
Results passing();
// `passing` with one more result.
Results with(RequirementResult result);

}  // namespace dlcert::sample
