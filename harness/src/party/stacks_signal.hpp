// SPDX-License-Identifier: Apache-2.0
//
// How a library in this process is asked where each of its threads is
// (dlcert_adapter::stacks_signal).
#pragma once

#include <dlcert/adapter.h>
#include <sys/types.h>

#include <functional>

namespace dlcert {

// The signal that a table names; 0: none.
int stacks_signal_of(const dlcert_adapter& table);

// A library that has such a signal is loaded, and may be open soon. The signal of the first one is
// told to the listener, which may be empty.
void note_stacks_signal(const dlcert_adapter& table);
void tell_stacks_signal(std::function<void(int signal)> listener);

// Sends the signal to a forked copy of this process that catches it. Whether it did.
bool ask_for_stacks(pid_t child);

}  // namespace dlcert
