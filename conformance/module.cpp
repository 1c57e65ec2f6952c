// SPDX-License-Identifier: Apache-2.0
//
// The worker as a shared library: the harness's loop with all checks. dlcert-worker links it; in
// the program of an interpreter the dynamic linker loads it first (harness/src/worker/own_program).
#include "module.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include <dlcert/suite/worker.hpp>

#include "suite.hpp"

namespace {

int run_worker(int argc, char** argv, char** /*environment*/) {
  return dlcert::worker_main(argc, argv, dlcert::all_checks());
}

}  // namespace

extern "C" {

int dlcert_worker_main(int argc, char** argv) {
  return run_worker(argc, argv, nullptr);
}

// Each program on glibc begins here, with its main().
using Start = int(dlcert::Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
__attribute__((visibility("default"))) Start __libc_start_main;

int __libc_start_main(dlcert::Main program, int argc, char** argv, void (*initialize)(),
                      void (*finish)(), void (*finish_linker)(), void* stack_end) {
  auto* const start = reinterpret_cast<Start*>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  if (start == nullptr) std::abort();
  return start(dlcert::main_of_process(program, &run_worker), argc, argv, initialize, finish,
               finish_linker, stack_end);
}

}  // extern "C"
