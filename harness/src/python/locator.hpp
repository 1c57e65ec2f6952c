// SPDX-License-Identifier: Apache-2.0
//
// Where the adapters of a command are: modules, and Python's, which one module of dlcert serves:
// "python:numpy", "python:./acme.py", "python:package.module".
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "python/interpreter.hpp"
#include "records/adapter_source.hpp"

namespace dlcert {

// What of dlcert serves Python libraries.
struct PythonParts {
  std::filesystem::path bridge;             // the adapter module
  std::filesystem::path packages;           // the folder that holds the package `dlcert`
  std::filesystem::path adapters;           // the folder of the bundled adapters, NAME.py
  std::filesystem::path reference;          // the folder of the module dlcert_reference
  std::filesystem::path reference_adapter;  // the module of dlcert's reference in C++

  // What was built or installed with the program at this absolute path, dlcert or dlcert-worker.
  static PythonParts of(const std::filesystem::path& program);
};

// The names of the bundled adapters, sorted: each is that of its library's package, too.
std::vector<std::string> bundled_adapters(const PythonParts& parts);

struct LocatedAdapters {
  std::vector<AdapterSource> sources;
  std::optional<Interpreter> interpreter;    // there is one where one of the adapters is Python's
  std::vector<std::filesystem::path> files;  // that decide what the adapters do
};

// The adapters that `locators` name. One without "python:" is the path of a module. Of Python's,
// the name of a bundled adapter comes first; what has a slash or ends in ".py" is a file; what else
// has a dot is a module, which the interpreter will find. `python` is as find_python() takes it;
// the interpreter is asked once. `program` is that of PythonParts::of(). Throws std::runtime_error
// (one line) where there is no such adapter or no interpreter that can serve it, and for a `python`
// that serves none.
LocatedAdapters locate_adapters(const std::vector<std::string>& locators, const std::string& python,
                                const std::filesystem::path& program);

}  // namespace dlcert
