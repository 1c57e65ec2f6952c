/*
 * tensorflow 2.21.0: elements: expected 48 bytes
 * 0102030405060708090a0b0c0d0e0f10...2122232425262728292a2b2c2d2e2f30 but found 12 bytes
 * 0102030405060708090a0b0c
 *
 * Rule (abi.dtype.lanes-unsupported-reject): a consumer without vector elements does not ignore
 * lanes.
 * Source: derived: dlpack.h v1.3 DLDataType.lanes
 *
 * Build and run: cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample [MODULE]
 * MODULE is the adapter of the library.
 * Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
 */
#ifndef DLCERT_COUNTEREXAMPLE_H
#include "../dlcert_counterexample.h"
#endif

static void steps(void) {
  dlcert_managed m1 = offer(OFFER(.form = DLCERT_LEGACY, .dtype = {2, 32, 4}, .device = {1, 0},
                                  .ndim = 1, .shape = LIST(3), .strides = LIST(1)),
                            "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223"
                            "2425262728292a2b2c2d2e2f30");
  dlcert_tensor* t1 = UNLESS_REFUSED(import_managed(library, m1));
  judge_text(read_bytes(library, t1, 12),
             "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223"
             "2425262728292a2b2c2d2e2f30");
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_tensorflow_adapter.so";
  return run(JUDGES, argc > 1 ? argv[1] : module_path, steps);
}
