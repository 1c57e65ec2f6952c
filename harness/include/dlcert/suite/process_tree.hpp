// SPDX-License-Identifier: Apache-2.0
//
// The descendants of a process, as /proc shows them. Implemented in harness/src/party.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <vector>

namespace dlcert {

// Returns the children of all threads of a process; none if the process is gone.
std::vector<pid_t> children_of(pid_t process);

// Returns all descendants of a process that have not ended.
std::set<pid_t> living_below(pid_t process);

// Returns whether a process has a handler of its own for a signal.
bool catches(pid_t process, int signal);

// Kills and reaps the children of this process that are not `spared`. Then does the same with their
// children, which become children of this process if it is their subreaper (prctl(2)), and so on.
// After some seconds it leaves those that it cannot reap because another process traces them.
void end_children(const std::set<pid_t>& spared = {});

// Returns the memory of a process and all its descendants, in bytes; 0 if the process is gone.
// resident_bytes counts a page that several processes share once for each of them.
// proportional_bytes counts it once in total, which takes much longer.
std::uint64_t resident_bytes(pid_t process);
std::uint64_t proportional_bytes(pid_t process);

}  // namespace dlcert
