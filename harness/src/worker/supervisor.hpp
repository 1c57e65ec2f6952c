// SPDX-License-Identifier: Apache-2.0
//
// The supervisor of a worker: the parent of the process that runs implementations. It loads nothing
// and only waits. When the worker has ended, or the runner sends SIGTERM or dies, the supervisor
// kills and reaps all processes that the worker started, in whatever session and however often
// forked (it is their subreaper), writes down how the worker ended, and exits.
#pragma once

#include "records/records.hpp"

namespace dlcert {

// Forks. Returns in the child, which is worker number `worker` and is killed when its supervisor
// dies; the parent becomes the supervisor and ends by _exit.
void fork_supervised(Records& records, std::size_t worker);

}  // namespace dlcert
