// SPDX-License-Identifier: Apache-2.0
//
// Whose fault a sanitizer's report is that ended a worker.
#pragma once

#include <string>
#include <string_view>

namespace dlcert {

// What the harness did wrong itself, in one line with the place, where `output` (what a worker that
// ended by itself had printed) ends in a report that says so; empty otherwise. `project` is the
// folder that the harness was compiled from, with a slash at its end; empty: this one's.
//
// Only reports that cannot be the library's doing count, or that cannot be told from ours:
// - They are UndefinedBehaviorSanitizer's, which names the place in the source. Ours are the suite,
//   harness/src, harness/shims, the headers for checks and the driver. The headers for adapters are
//   compiled into adapters, and the reference is a library like others: their places do not count.
// - They are about arithmetic, the control flow, or the type of a called function: what our code
//   does with values. Who cast a function to another type, we or the library, no report tells.
//   Reports about memory (null, misaligned or invalid loads) do not count, since checks read
//   through pointers that libraries give.
// - Nothing is printed behind them. Our code is compiled with -fno-sanitize-recover, so that such a
//   report is how the process ended.
//
// No report of AddressSanitizer or ThreadSanitizer counts, wherever its innermost frame is. What a
// library freed too early, made too small, left on its stack, or handed over without ordering is
// seen where a check reads it; even memory of ours is read out of bounds where a library describes
// it wrongly. Those reports stay crashes.
std::string fault_of_harness(std::string_view output, std::string_view project = {});

// Whether LeakSanitizer ended the process since it could not look for leaks, as where another
// process traces this one: nothing is known of the library then.
bool leaks_were_not_looked_for(std::string_view output);

}  // namespace dlcert
