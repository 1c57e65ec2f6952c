/*
 * aten 2.15.0: deleter calls in total: expected 1 but found 2
 *
 * Rule (lifetime.failed-import.single-release): a refused tensor is released once in total.
 * Source: derived: dlpack.h v1.3 deleter and DLPackVersion
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
                                  .dtype = {2, 32, 1}, .device = {4, 0}, .ndim = 0,
                                  .shape = LIST(0), .strides = LIST(0)), "00000000");
  REFUSED(import_managed(library, m1));
  call_deleter(m1);
  judge_number(deletions(m1), 1);
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_libtorch_adapter.so";
  return run(JUDGES, argc > 1 ? argv[1] : module_path, steps);
}
