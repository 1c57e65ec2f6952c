// SPDX-License-Identifier: Apache-2.0
//
// The interpreter in which Python libraries are judged. It is asked itself; what it answers is kept
// for no other command.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace dlcert {

// What an interpreter says of itself.
struct InterpreterAnswer {
  std::string program;         // sys.executable: of a virtual environment, the one there
  std::string implementation;  // "cpython"
  std::string version;         // in full: "3.11.2"
  int major = 0, minor = 0;
  std::string code;            // file of its machine code: the program, or its shared library
  bool free_threaded = false;  // built without the global lock
  std::map<std::string, std::string> packages;  // of those asked for, with their versions or ""
};

// The interpreter that judges.
struct Interpreter {
  std::string program;  // absolute
  std::string version;
  std::string code;  // as above
};

// The program that --python names, by a path or by its name on PATH; where `given` is empty, that
// of the active virtual environment, else that of a wheel's command (DLCERT_PYTHON), else python3.
// Absolute. Throws std::runtime_error (one line).
std::string find_python(const std::string& given);

// Starts the program once, and asks it; which of `packages` can be imported is seen without
// importing one. Throws std::runtime_error (one line) where it is no Python or does not answer.
InterpreterAnswer ask_python(const std::string& program,
                             const std::vector<std::string>& packages = {},
                             std::chrono::milliseconds patience = std::chrono::seconds{10});

// The interpreter, if a worker can run inside its program: CPython of a known version, started by
// glibc's dynamic linker. Throws std::runtime_error (one line) that says why it cannot serve.
Interpreter serving(const InterpreterAnswer& answer);

}  // namespace dlcert
