// SPDX-License-Identifier: Apache-2.0
//
// The shared objects in this process.
#pragma once

#include <string>
#include <vector>

namespace dlcert {

// The files of all shared objects in the process, in the order in which they were loaded.
std::vector<std::string> module_files();

// The file that defines `symbol` as the module `name` sees it, or as this program does when `name`
// is NULL; empty when it sees none.
std::string file_of_symbol(const char* name, const char* symbol);

}  // namespace dlcert
