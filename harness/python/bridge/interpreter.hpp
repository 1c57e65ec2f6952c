// SPDX-License-Identifier: Apache-2.0
//
// The interpreter of this process, whose program or library is CPython.
#pragma once

#include <stdexcept>
#include <string>

#include "object.hpp"

namespace dlcert::python {

// No interpreter can serve, or no adapter can be loaded; one line.
class Unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Interpreter {
  std::string program;   // absolute: its virtual environment is found by it
  std::string version;   // "3.11.2"
  std::string packages;  // the folder that holds the package dlcert
};

// Starts it where none runs in this process; it is never ended or closed again, and the calling
// thread does not keep its lock. Throws Unusable: also if another one serves this process.
void start(const Interpreter& wanted);

// The signal at which the interpreter writes the Python stacks of all threads to standard error.
int stacks_signal();

// A function of the package's module `_host`: what is easier said in Python. Needs the lock; throws
// Raised.
Ref host_function(const char* name);

// While one lives what the process does on fatal signals is kept, and put back at the end:
// libraries install handlers when they are imported, and the wait status must tell the crash.
class FatalSignalsKept {
 public:
  FatalSignalsKept();
  ~FatalSignalsKept();
  FatalSignalsKept(const FatalSignalsKept&) = delete;
  FatalSignalsKept& operator=(const FatalSignalsKept&) = delete;

 private:
  struct Handlers;
  Handlers* handlers_;
};

// Around a fork of this process: takes the lock, tells the interpreter, and lets go behind it.
void before_fork();
void after_fork(bool in_child);

}  // namespace dlcert::python
