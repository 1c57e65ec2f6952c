/*
 * mxnet 1.9.1: elements: expected 4 bytes 00000000 but found 4 bytes a5a5a5a5
 *
 * Rule (abi.data.byte-offset-applied): the consumer adds byte_offset to data.
 * Source: dlpack.h v1.3, DLTensor.data / byte_offset
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
                                  .ndim = 0, .shape = LIST(0), .strides = LIST(0),
                                  .byte_offset = 4u), "a5a5a5a500000000");
  dlcert_tensor* t1 = UNLESS_REFUSED(import_managed(library, m1));
  judge_text(read_bytes(library, t1, 4), "00000000");
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_mxnet_adapter.so";
  return run(JUDGES, argc > 1 ? argv[1] : module_path, steps);
}
