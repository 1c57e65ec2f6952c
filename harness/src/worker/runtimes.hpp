// SPDX-License-Identifier: Apache-2.0
//
// The GPU runtimes of a worker: drop-in ones over the simulated driver, never the vendors' beside
// it.
#pragma once

#include <string>

namespace dlcert {

// Opens the drop-in runtimes that were built, so that a module that is loaded later and needs a
// runtime of that name gets these: the loader compares names with the libraries that are there
// already, whatever a RUNPATH says. Only with the simulated driver. Throws std::runtime_error, in
// one line, when the process has a vendor's runtime already.
void open_drop_in_runtimes();

// From now on libraries have the runtimes that they bring, for good; none was opened here.
void leave_runtimes_to_libraries();

// What is wrong with the runtimes that the modules in this process brought, in one line: one that
// is not the drop-in. Empty when nothing is, and where they are left to the libraries.
std::string foreign_runtime();

// Where they are left to the libraries: "'libcudart.so.13' is no drop-in"; else empty.
std::string runtime_in_place_of_drop_in();

// A module in this process that cudart was linked into, which cannot be replaced; empty: none.
std::string module_with_own_runtime();

}  // namespace dlcert
