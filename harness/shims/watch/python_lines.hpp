// SPDX-License-Identifier: Apache-2.0
//
// Where in a Python program the calling thread is.

#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace dlcert::shim {

struct PythonLine {
  std::string file;
  int line = 0;
  std::string function;

  friend bool operator<(const PythonLine& a, const PythonLine& b) {
    return std::tie(a.file, a.line, a.function) < std::tie(b.file, b.line, b.function);
  }
};

/// The lines that the calling thread is in, the innermost first, at most `most`. None where it runs
/// no Python (3.10 or newer), or the interpreter's lock is not to be had soon: a program that waits
/// for this thread while it holds the lock must not hang.
std::vector<PythonLine> python_lines(std::size_t most);

}  // namespace dlcert::shim
