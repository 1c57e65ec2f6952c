/*
 * abi.layout.versioned-prefix-frozen (tvm_ffi): the consumer calls the deleter that another major version has at offset 16
 *
 * ended by SIGSEGV in case 0
 *
 * Build and run:  cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample [MODULE]
 * Exit code: that of a signal (128 and its number in a shell) when the library shows the fault, 0 when it does not, 2 when the module
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

  dlcert_managed m1 = offer((offer_spec){.form = DLCERT_VERSIONED, .major = 2u, .minor = 0u, .flags = 0u, .dtype = {2, 32, 1}, .device = {1, 0}, .ndim = 0, .shape = NULL, .strides = NULL, .byte_offset = 0u, .data = OFFER_STORAGE, .data_offset = 0, .deleter = OFFER_COUNTED, .context = OFFER_OWN_CONTEXT, .protection = OFFER_SEALED_TAIL}, "00000000");
  dlcert_tensor* t1 = import_managed(library, m1);

  show_accounts();
  printf("the library did not end the process\n");
  return 0;
}
