// SPDX-License-Identifier: Apache-2.0
//
// What a run tests less than an earlier one did: a library that claims less than before passes more
// easily, and nothing else would tell.
#pragma once

#include <string>

#include "report/results.hpp"

namespace dlcert {

// What `earlier` claimed or tested and `now` does not, and where their conditions differ; the
// latter excuses nothing. Both are complete certifications with their scope, in which an earlier
// one of schema version 1 may be empty: then only tested requirements are compared. `file` is where
// the earlier results come from.
Baseline compare_with(const Results& earlier, const Results& now, std::string file);

// Why these results can be no baseline ("the run did not finish"); empty: they can.
std::string no_baseline(const Results& results);

}  // namespace dlcert
