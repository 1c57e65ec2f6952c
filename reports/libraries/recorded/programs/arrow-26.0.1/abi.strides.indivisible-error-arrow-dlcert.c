/*
 * arrow 26.0.1: elements: expected 8 bytes c15c02892d0a9167 but found 8 bytes c15c0289002d0a91
 *
 * Rule (abi.strides.indivisible-error): strides that are no multiple of the element are refused or
 * copied, not rounded.
 * Source: array API draft, array_object.py __dlpack__ Raises BufferError (incompatible strides);
 * the ban on rounding is derived from dlpack.h v1.3 DLTensor.strides
 *
 * Build and run: cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample [MODULE]
 * MODULE is the adapter of the library.
 * Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
 */
#ifndef DLCERT_COUNTEREXAMPLE_H
#include "../dlcert_counterexample.h"
#endif

static void steps(void) {
  dlcert_tensor* t1 = create(library, SPEC(.dtype = {2, 32, 1}, .device = {1, 0}, .ndim = 1,
                                           .shape = LIST(2), .strides = LIST(5), .storage_size = 10,
                                           .flags = DLCERT_SPEC_BYTE_STRIDES), "c15c02892d0a9167");
  dlcert_managed m1 = UNLESS_REFUSED(export_managed(library, t1,
                                                    REQUEST(.max_version = PAIR(1, 3))));
  judge_text(elements(m1), "c15c02892d0a9167");
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_arrow_adapter.so";
  return run(JUDGES, argc > 1 ? argv[1] : module_path, steps);
}
