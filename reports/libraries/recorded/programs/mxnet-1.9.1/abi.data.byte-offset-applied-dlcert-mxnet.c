/*
 * abi.data.byte-offset-applied (mxnet): the consumer adds byte_offset to data
 *
 * elements: expected 4 bytes 00000000 but found 4 bytes a5a5a5a5
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

  dlcert_managed m1 = offer((offer_spec){.form = DLCERT_LEGACY, .major = 1u, .minor = 3u, .flags = 0u, .dtype = {2, 32, 1}, .device = {1, 0}, .ndim = 0, .shape = NULL, .strides = NULL, .byte_offset = 4u, .data = OFFER_STORAGE, .data_offset = 0, .deleter = OFFER_COUNTED, .context = OFFER_OWN_CONTEXT, .protection = OFFER_WRITABLE}, "a5a5a5a500000000");
  dlcert_tensor* t1 = import_managed(library, m1);  saw("ok");
  describe(library, t1);  saw("dtype (2, 32, 1) device (1, 0) shape [] strides NULL flags none");
  read_bytes(library, t1, 4);  saw("a5a5a5a5");
  release(library, t1);  saw("deleter");

  show_accounts();
  return shows_fault();
}
