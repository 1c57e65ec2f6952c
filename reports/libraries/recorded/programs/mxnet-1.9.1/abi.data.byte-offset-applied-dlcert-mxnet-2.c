/*
 * abi.data.byte-offset-applied (mxnet): the consumer adds a byte_offset beyond 32 bits
 *
 * elements: expected 16 bytes 0000803f000000400000404000008040 but found 16 bytes 00000000000000000000000000000000
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

  unsigned char* memory1 = mapped_memory(4294967376u);
  put_bytes(memory1 + 4294967360u, "0000803f000000400000404000008040");
  dlcert_managed m1 = offer((offer_spec){.form = DLCERT_LEGACY, .major = 1u, .minor = 3u, .flags = 0u, .dtype = {2, 32, 1}, .device = {1, 0}, .ndim = 1, .shape = (const int64_t[]){4}, .strides = (const int64_t[]){1}, .byte_offset = 4294967360u, .data = OFFER_UNMAPPED, .data_offset = 0, .deleter = OFFER_COUNTED, .context = OFFER_OWN_CONTEXT, .protection = OFFER_WRITABLE}, "");
  lie_at(m1, memory1 + 0u);
  dlcert_tensor* t1 = import_managed(library, m1);  saw("ok");
  describe(library, t1);  saw("dtype (2, 32, 1) device (1, 0) shape [4] strides NULL flags none");
  read_bytes(library, t1, 16);  saw("00000000000000000000000000000000");
  release(library, t1);  saw("deleter");

  show_accounts();
  return shows_fault();
}
