/*
 * tvm_ffi 0.1.12: data of a tensor without elements: expected 0x0 but found 0x(address)
 *
 * Rule (abi.data.zero-size-null): a tensor without elements is exported with null data.
 * Source: dlpack.h v1.3, DLTensor.data (last note); DLPack docs/source/python_spec.rst @7f393bb
 * lines 162-163
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
                                           .shape = LIST(0), .strides = LIST(1), .storage_size = 0),
                             "");
  dlcert_managed m1 = UNLESS_REFUSED(export_managed(library, t1,
                                                    REQUEST(.max_version = PAIR(1, 3))));
  JUDGE(versioned(m1)->dl_tensor.data == NULL);
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_tvm_ffi_adapter.so";
  return run(JUDGES, argc > 1 ? argv[1] : module_path, steps);
}
