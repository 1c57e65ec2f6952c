/*
 * abi.strides.indivisible-error (arrow): a copy of elements whose strides are no multiple of the element has their values
 *
 * elements: expected 8 bytes c15c02895c0289ec but found 8 bytes c15c0289c15c0289
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
  if (!load(argc > 1 ? argv[1] : "<adapter>/libdlcert_arrow_adapter.so")) return 2;

  dlcert_tensor* t1 = create(library, (dlcert_tensor_spec){.struct_size = sizeof(dlcert_tensor_spec), .flags = 4, .state = 0, .ndim = 1, .dtype = {2, 32, 1}, .device = {1, 0}, .shape = (const int64_t[]){2}, .strides = (const int64_t[]){1}, .offset = 0, .storage_size = 5}, "c15c02895c0289ec");  saw("ok");
  dlcert_managed m1 = export_managed(library, t1, REQUEST(ABSENT, PAIR(1, 3), ABSENT, BOOL(1)));  saw("ok");  saw("versioned 1.3 flags 2 deleter set dtype (2, 32, 1) device (1, 0) ndim 1 shape [2] strides [0] offset 0 data set");
  call_deleter(m1);
  release(library, t1);

  show_accounts();
  return shows_fault();
}
