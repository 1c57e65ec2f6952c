// SPDX-License-Identifier: Apache-2.0
//
// Job::Mode::preflight: what an adapter claims, tried once per dtype, layout and device.
#pragma once

#include <functional>
#include <string_view>

#include "records/preflight.hpp"
#include "worker/library.hpp"

namespace dlcert {

// Where the preflight stands, so that a crash or a hang shows where it came. Called before each row
// of the table with what was found so far, and before each call with its name and tensor.
struct PreflightProgress {
  std::function<void(const PreflightFindings&)> row;
  std::function<void(std::string_view call)> call;
};

// Claims, and PreflightStage::own: of a producer the tensors that it claims, made, described, read
// and written.
PreflightFindings try_own_tensors(const Library& library, Platform platform,
                                  const PreflightProgress& progress);

// PreflightStage::crossing: an export, or an import, of each tensor that the roles claim. The
// harness's own side is on the host, so what lies elsewhere is exported and not read.
PreflightFindings try_crossings(const Library& library, Platform platform,
                                const PreflightProgress& progress);

}  // namespace dlcert
