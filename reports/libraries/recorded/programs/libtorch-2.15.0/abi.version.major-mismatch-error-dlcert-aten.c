/*
 * aten 2.15.0: import of a tensor of another major version: expected a refusal but found success
 *
 * Rule (abi.version.major-mismatch-error): the consumer reports another major version as an error.
 * Source: derived: dlpack.h v1.3 DLPackVersion; array API __dlpack__ max_version logic
 *
 * Build and run: cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample [MODULE]
 * MODULE is the adapter of the library.
 * Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
 */
#ifndef DLCERT_COUNTEREXAMPLE_H
#include "../dlcert_counterexample.h"
#endif

static void steps(void) {
  dlcert_managed m1 = offer(OFFER(.form = DLCERT_VERSIONED, .major = 2, .minor = 0,
                                  .dtype = {2, 32, 1}, .device = {1, 0}, .ndim = 0,
                                  .shape = LIST(0), .strides = LIST(0)), "00000000");
  JUDGE_REFUSAL(import_managed(library, m1));
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_libtorch_adapter.so";
  return run(JUDGES, argc > 1 ? argv[1] : module_path, steps);
}
