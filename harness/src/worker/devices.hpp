// SPDX-License-Identifier: Apache-2.0
//
// The devices of a worker, and their driver: one, which the harness, the implementations and the
// libraries that these load all see.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert {

// Gives the process devices of `platform`'s vendor, before anything is loaded: two of the simulated
// driver, unless the environment says how many. A driver of real devices has those that there are.
// Throws what dlcert::driver::select_driver() throws, in one line.
// `only_forks`: nobody calls the driver but processes that are forked from this one.
// `drop_in`: whether libraries get the drop-in runtimes; without them they have those of their own,
// as where their users are.
void start_devices(const std::string& driver, Platform platform, bool only_forks = false,
                   bool drop_in = true);

// Whether the process has devices of `platform`'s vendor, or needs none.
bool has_devices_of(Platform platform);

// Whether each device still works. One with a sticky error answers every later call with that
// error, which would be held against the next check.
bool devices_work();

// What the simulated driver could not do or tell since this was last asked, each in one line; empty
// with real devices.
std::vector<std::string> take_limits();
// From now on `told` gets each of these when it is noted, and "" when they are taken; on any
// thread, one at a time. Empty: nobody is told. After start_devices().
void tell_limits(std::function<void(const std::string&)> told);

// How many kernels were launched so far of which nobody knows what they wrote; 0 with real devices,
// which run them.
std::uint64_t opaque_launches();

// What is wrong when a loaded module brought a driver or a GPU runtime of its own, whose calls the
// harness would not see: one line that names the files. Empty when none did.
std::string second_driver();

// A GPU runtime whose calls the simulated driver does not see: "'libacme.so' links cudart
// statically"; empty when there is none, and with real devices.
std::string unseen_runtime();

}  // namespace dlcert
