/*
 * tensorflow 2.21.0: ended by SIGABRT in case 1
 *
 * Rule (abi.ndim.too-large-rejected): the consumer refuses a rank above its maximum or keeps all of
 * it.
 * Source: derived: dlpack.h v1.3 DLTensor.ndim; array API from_dlpack Raises
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
                                  .ndim = 257, .shape = repeated(257, 1),
                                  .strides = repeated(257, 1)), "00000000");
  UNLESS_REFUSED(import_managed(library, m1));
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_tensorflow_adapter.so";
  return run(MAY_END, argc > 1 ? argv[1] : module_path, steps);
}
