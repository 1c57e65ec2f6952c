/*
 * mxnet 1.9.1: ended by SIGSEGV in case 0
 *
 * Rule (abi.robust.malformed-descriptor): what the consumer makes of a null shape is recorded.
 * Source: derived: dlpack.h v1.3 DLTensor
 *
 * Build and run: cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample [MODULE]
 * MODULE is the adapter of the library.
 * Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
 */
#ifndef DLCERT_COUNTEREXAMPLE_H
#include "../dlcert_counterexample.h"
#endif

static void steps(void) {
  dlcert_managed m1 = offer(OFFER(.form = DLCERT_LEGACY, .dtype = {2, 32, 1}, .device = {1, 0},
                                  .ndim = 1, .strides = LIST(1)),
                            "0000000000000000000000000000000000000000000000000000000000000000000000"
                            "0000000000000000000000000000000000000000000000000000000000");
  UNLESS_REFUSED(import_managed(library, m1));
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_mxnet_adapter.so";
  return run(MAY_END, argc > 1 ? argv[1] : module_path, steps);
}
