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
// is not the drop-in, and that a module calls. Which file a module's names lead to decides, not
// what is there. Empty when nothing is wrong, and where they are left to the libraries.
std::string foreign_runtime();

// What of GPU runtimes is in this process without being seen, in a few words; empty: nothing. That
// cudart was linked into a module, which cannot be replaced; that a vendor's is there which
// somebody may have opened to ask for its functions by name; or, where they are left to the
// libraries, any.
std::string unseen_runtime_in_process();

}  // namespace dlcert
