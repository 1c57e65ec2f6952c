// SPDX-License-Identifier: Apache-2.0
//
// Forks of a process in which libraries are open that take part in them
// (dlcert_adapter::before_fork, after_fork).
#pragma once

#include <dlcert/adapter.h>
#include <sys/types.h>

namespace dlcert {

// Whether a library has them: then its threads are no reason not to fork.
bool has_fork_hooks(const dlcert_adapter& table);

// Between these two the hooks of an open library, where it has them, are called around forks. The
// table outlives that. Not beside a fork on another thread.
void add_fork_hooks(const dlcert_adapter& table);
void remove_fork_hooks(const dlcert_adapter& table);

// fork(2) between the hooks, in the order of pthread_atfork(3): the library that was added last is
// the first before the fork, and the last behind it. Behind a fork that failed they are called as
// in the parent, and errno is the fork's.
pid_t fork_with_hooks();

}  // namespace dlcert
