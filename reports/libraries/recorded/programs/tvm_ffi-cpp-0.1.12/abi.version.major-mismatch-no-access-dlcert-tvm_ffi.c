/*
 * tvm_ffi 0.1.12: ended by SIGSEGV in case 0
 *
 * Rule (abi.version.major-mismatch-no-access): the consumer reads nothing behind the flags of
 * another major version.
 * Source: dlpack.h v1.3, DLPackVersion
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
                                  .shape = LIST(0), .strides = LIST(0),
                                  .protection = OFFER_SEALED_TAIL), "00000000");
  UNLESS_REFUSED(import_managed(library, m1));
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_tvm_ffi_adapter.so";
  return run(MAY_END, argc > 1 ? argv[1] : module_path, steps);
}
