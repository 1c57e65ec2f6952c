// SPDX-License-Identifier: Apache-2.0
//
// The search for the smallest failing case.
#pragma once

#include <functional>

#include <dlcert/suite/draw.hpp>

namespace dlcert {

struct ShrinkBudget {
  int candidates = 200;
  double seconds = 60;
};

struct Shrunk {
  Choices choices;     // the smallest choices found that still fail
  int candidates = 0;  // how many were tried
  int steps = 0;       // how many of them were an improvement
};

// Searches for smaller choices on which `fails` holds, as it must for `start`. Greedy, within the
// budget.
using Fails = std::function<bool(const Choices& candidate)>;
Shrunk shrink(const Choices& start, const Fails& fails, const ShrinkBudget& budget);

}  // namespace dlcert
