/*
 * mxnet 1.9.1: import: expected success but found RuntimeError (std::exception): MXNetError:
 * Unsupported DLPack because MXNet only support compact tensor now Stack trace: File
 * "../include/mxnet/./tensor_blob.h", line 134
 *
 * Rule (abi.strides.unit-extent-free): strides of axes with an extent of 0 or 1 make no difference.
 * Source: derived: dlpack.h v1.3 DLTensor.strides
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
                                  .ndim = 1, .shape = LIST(1), .strides = LIST(12345)), "00000000");
  JUDGE_SUCCESS(import_managed(library, m1));
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_mxnet_adapter.so";
  return run(JUDGES, argc > 1 ? argv[1] : module_path, steps);
}
