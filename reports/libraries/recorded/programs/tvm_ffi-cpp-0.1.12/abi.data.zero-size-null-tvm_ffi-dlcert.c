/*
 * abi.data.zero-size-null (tvm_ffi): a tensor without elements is exported with null data
 *
 * data of a tensor without elements: expected 0x0 but found 0x(address)
 *
 * Build and run:  cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample [MODULE]
 * Exit code: 1 when the library shows the fault, 0 when it does not, 2 when the module
 * cannot be loaded.
 */
#ifndef DLCERT_COUNTEREXAMPLE_H
#include "../dlcert_counterexample.h"
#endif

int main(int argc, char** argv) {
  (void)unknown;
  setvbuf(stdout, NULL, _IONBF, 0);
  alarm(60); /* a hang ends by SIGALRM */
  if (!load(argc > 1 ? argv[1] : "<adapter>/libdlcert_tvm_ffi_adapter.so")) return 2;

  dlcert_tensor* t1 = create(library, (dlcert_tensor_spec){.struct_size = sizeof(dlcert_tensor_spec), .flags = 0, .state = 0, .ndim = 1, .dtype = {2, 32, 1}, .device = {1, 0}, .shape = (const int64_t[]){0}, .strides = (const int64_t[]){1}, .offset = 0, .storage_size = 0}, "");  saw("ok");
  dlcert_managed m1 = export_managed(library, t1, REQUEST(ABSENT, PAIR(1, 3), ABSENT, ABSENT));  saw("ok");  saw("versioned 1.3 flags 0 deleter set dtype (2, 32, 1) device (1, 0) ndim 1 shape [0] strides [1] offset 0 data set");
  call_deleter(m1);
  release(library, t1);

  show_accounts();
  return shows_fault();
}
