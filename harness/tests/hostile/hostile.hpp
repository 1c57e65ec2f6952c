// SPDX-License-Identifier: Apache-2.0
//
// The variants of the hostile library, by theme, and what they are made of.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "plain_library.hpp"

namespace hostile {

using Variants = std::map<std::string_view, Acts>;

Variants deaths();         // inside of a case
Variants hangs();          // and what is only slow
Variants first_process();  // before the first check
Variants outside();        // loading, opening, closing, unloading, exiting
Variants processes();      // forks, threads, tracers, kills
Variants surroundings();   // signals, environment, limits, floating point
Variants resources();      // descriptors, memory, the records, output
Variants lies();           // about claims, sizes, statuses, values
Variants texts();          // names, errors, warnings
Variants interpreters();   // hooks around forks, ends without exit, stacks, handlers

// A file of the test's own; "" outside of one.
std::string state_file();
// Once per test, whichever processes it takes.
bool first_time();
// How often this was called before, by any process of the test.
int earlier_calls();
// Returns whether the table was given before: to the inventory.
bool in_a_worker();

void print(std::string_view text);
std::int64_t read_null(std::int64_t extent = 0);
[[noreturn]] std::int64_t sleep_forever(std::int64_t extent = 0);
void crash();
void hang();
void exit_quietly();
// Starts a thread that holds the lock most of the time.
dlcert_status keep_a_thread_busy(const dlcert_host&, dlcert_error&);
std::mutex& lock_of_the_thread();
std::int64_t wait_for_the_thread(std::int64_t extent);
// Writes to so many bytes of a block of its own, which it keeps.
void take_memory(std::size_t bytes);
// Leaves behind a child in the same session, and a grandchild that left it. Once in a process.
std::int64_t leave_children(std::int64_t extent);

// Returns whether a provoking tensor was made in this process, once use() or stay() is an
// on_provoke.
bool used();
std::int64_t use(std::int64_t extent);
// From now on dlclose does not take the module out of this process: its destructors run at the
// exit.
std::int64_t stay(std::int64_t extent);

}  // namespace hostile
