/*
 * abi.dtype.lanes-unsupported-reject (tensorflow): a consumer without vector elements does not ignore lanes
 *
 * elements: expected 48 bytes 0102030405060708090a0b0c0d0e0f10...2122232425262728292a2b2c2d2e2f30 but found 12 bytes 0102030405060708090a0b0c
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
  if (!load(argc > 1 ? argv[1] : "<adapter>/libdlcert_tensorflow_adapter.so")) return 2;

  dlcert_managed m1 = offer((offer_spec){.form = DLCERT_LEGACY, .major = 1u, .minor = 3u, .flags = 0u, .dtype = {2, 32, 4}, .device = {1, 0}, .ndim = 1, .shape = (const int64_t[]){3}, .strides = (const int64_t[]){1}, .byte_offset = 0u, .data = OFFER_STORAGE, .data_offset = 0, .deleter = OFFER_COUNTED, .context = OFFER_OWN_CONTEXT, .protection = OFFER_WRITABLE}, "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f30");
  dlcert_tensor* t1 = import_managed(library, m1);  saw("ok");
  describe(library, t1);  saw("dtype (2, 32, 1) device (1, 0) shape [3] strides NULL flags none");
  describe(library, t1);  saw("dtype (2, 32, 1) device (1, 0) shape [3] strides NULL flags none");
  describe(library, t1);  saw("dtype (2, 32, 1) device (1, 0) shape [3] strides NULL flags none");
  read_bytes(library, t1, 12);  saw("0102030405060708090a0b0c");
  release(library, t1);  saw("deleter");

  show_accounts();
  return shows_fault();
}
