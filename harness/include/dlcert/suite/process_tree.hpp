// SPDX-License-Identifier: Apache-2.0
//
// The processes below a process, as /proc shows them. Implemented in harness/src/party.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <vector>

namespace dlcert {

// The children of all threads of a process; none when it is gone.
std::vector<pid_t> children_of(pid_t process);

// All below a process that have not ended.
std::set<pid_t> living_below(pid_t process);

// Whether a process has a handler of its own for a signal.
bool catches(pid_t process, int signal);

// Kills and reaps the children of this process that are not `spared`, then their children, which
// become children of this process where it is their subreaper (prctl(2)), and so on. Leaves those
// that cannot be reaped within some seconds, as another process traces them.
void end_children(const std::set<pid_t>& spared = {});

// The memory of a process and all below it, in bytes; 0 when it is gone. The resident sizes count a
// page that several share once for each, the proportional sizes once in all, and take much longer
// to find.
std::uint64_t resident_bytes(pid_t process);
std::uint64_t proportional_bytes(pid_t process);

}  // namespace dlcert
