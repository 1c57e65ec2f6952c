/*
 * tvm_ffi 0.1.12: import of a 6- or 4-bit float under another width: expected a refusal but found
 * success
 *
 * Rule (abi.dtype.fp6-fp4-bits-checked): the consumer refuses 6- and 4-bit floats whose bits are
 * not 6 or 4.
 * Source: dlpack.h v1.3, kDLFloat6_* / kDLFloat4_* comments
 *
 * Build and run: cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample [MODULE]
 * MODULE is the adapter of the library.
 * Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
 */
#ifndef DLCERT_COUNTEREXAMPLE_H
#include "../dlcert_counterexample.h"
#endif

static void steps(void) {
  dlcert_managed m1 = offer(OFFER(.form = DLCERT_VERSIONED, .major = 1, .minor = 3,
                                  .dtype = {15, 8, 1}, .device = {1, 0}, .ndim = 1,
                                  .shape = LIST(2), .strides = LIST(1)),
                            "0000000000000000000000000000000000000000000000000000000000000000000000"
                            "0000000000000000000000000000000000000000000000000000000000");
  JUDGE_REFUSAL(import_managed(library, m1));
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_tvm_ffi_adapter.so";
  return run(JUDGES, argc > 1 ? argv[1] : module_path, steps);
}
