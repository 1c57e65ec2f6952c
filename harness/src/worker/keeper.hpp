// SPDX-License-Identifier: Apache-2.0
//
// The parent of the process that runs implementations. It loads nothing and only waits: when its
// child has ended, or the runner asks by SIGTERM or dies, it ends everything that the child
// started, wherever that has hidden (sessions of its own, double forks), writes how the child
// ended, and is gone.
#pragma once

#include "worker/records.hpp"

namespace dlcert {

// Forks. Returns in the child only; the parent stays here and ends by _exit. The child dies with
// its keeper.
void become_kept(Records& records, std::size_t worker);

}  // namespace dlcert
