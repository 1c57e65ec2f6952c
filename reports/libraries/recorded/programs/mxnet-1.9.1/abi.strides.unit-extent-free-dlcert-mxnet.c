/*
 * abi.strides.unit-extent-free (mxnet): strides of axes with an extent of 0 or 1 make no difference
 *
 * import: expected success but found RuntimeError (std::exception): MXNetError: Unsupported DLPack because MXNet only support compact tensor now Stack trace:   File "../include/mxnet/./tensor_blob.h", line 134 
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
  if (!load(argc > 1 ? argv[1] : "<adapter>/libdlcert_mxnet_adapter.so")) return 2;

  dlcert_managed m1 = offer((offer_spec){.form = DLCERT_LEGACY, .major = 1u, .minor = 3u, .flags = 0u, .dtype = {2, 32, 1}, .device = {1, 0}, .ndim = 1, .shape = (const int64_t[]){1}, .strides = (const int64_t[]){12345}, .byte_offset = 0u, .data = OFFER_STORAGE, .data_offset = 0, .deleter = OFFER_COUNTED, .context = OFFER_OWN_CONTEXT, .protection = OFFER_WRITABLE}, "00000000");
  dlcert_tensor* t1 = import_managed(library, m1);  saw("refused");
  call_deleter(m1);  saw("deleter");

  show_accounts();
  return shows_fault();
}
