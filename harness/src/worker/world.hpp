// SPDX-License-Identifier: Apache-2.0
//
// The devices of a worker: one driver, which the harness, the implementations and what they load
// all see.
#pragma once

#include <string>

#include <dlcert/suite/check.hpp>

namespace dlcert {

// Gives the process devices of `platform`'s vendor, before anything is loaded: two of the simulated
// driver, unless the environment says how many. A driver of real devices has those that there are.
// Throws what dlcert::driver::select_driver() throws, in one line.
// `only_forks`: nobody calls the driver but processes that are forked from this one.
void start_world(const std::string& driver, Platform platform, bool only_forks = false);

// Whether the process has devices of `platform`'s vendor, or needs none.
bool world_has(Platform platform);

// Whether the devices still work: an error that sticks to one would be held against whoever comes
// next.
bool world_is_sound();

// What is wrong when a loaded module brought a driver of its own, beside which nobody would see
// what an implementation does: one line with both files. Empty when there is one driver only.
std::string second_world();

}  // namespace dlcert
