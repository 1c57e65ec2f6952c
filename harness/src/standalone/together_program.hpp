// SPDX-License-Identifier: Apache-2.0
//
// A program that loads two libraries into one process, in either order, and nothing of dlcert: in
// Python where one of them is, else in C. It says of each order how it ended, and exits with 1 when
// one of them failed, with 0 when both did not, and with 2 when a library does not load alone.
#pragma once

#include <string>
#include <string_view>

namespace dlcert {

// A library as the program loads it.
struct LibraryToLoad {
  std::string_view name, version;
  std::string_view file;     // shown, and loaded where there are no imports
  std::string_view imports;  // statements of Python, in one line; empty: it is no package
};

struct TogetherProgram {
  LibraryToLoad one, other;
  std::string_view found;  // how each order ended when dlcert loaded both
  double seconds = 30;     // what takes longer hangs

  bool in_python() const { return !one.imports.empty() || !other.imports.empty(); }
};

std::string to_source(const TogetherProgram& program);

// What the program says of an order in which both load, a line.
std::string loads_line(std::string_view first, std::string_view second);

}  // namespace dlcert
