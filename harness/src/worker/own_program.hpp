// SPDX-License-Identifier: Apache-2.0
//
// The program whose process the worker is: dlcert-worker, or the program of a Python interpreter.
// CPython's code lies in that program (Debian's python3, manylinux images) or in a shared library
// that only it finds (relocated builds), and the library under test may look for it in the program.
// So the worker runs there: the dynamic linker loads the worker's library before the program begins
// (LD_PRELOAD), and the worker's main() takes the place of the program's. The interpreter is not
// initialized then, as an extension module would find it: forks, new processes and the end of the
// interpreter stay with the worker.
#pragma once

#include <string>
#include <vector>

namespace dlcert {

// The program and the environment that the process needs.
struct OwnProgram {
  std::string interpreter;             // absolute; empty: dlcert-worker
  std::vector<std::string> variables;  // "NAME=value", in its environment from the start
};

// Replaces this process by the same worker in the program that is asked for, unless it is that.
// `argv` is that of main(). Throws std::system_error if it cannot.
void become(const OwnProgram& wanted, char** argv);

// The worker's program to start processes with: dlcert-worker, absolute, in each of its processes.
std::string worker_program(const char* argv0);

}  // namespace dlcert
