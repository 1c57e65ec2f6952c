/*
 * lifetime.failed-import.single-release (aten): a refused tensor is released once in total
 *
 * deleter calls in total: expected 1 but found 2
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
  if (!load(argc > 1 ? argv[1] : "<adapter>/libdlcert_libtorch_adapter.so")) return 2;

  dlcert_managed m1 = offer((offer_spec){.form = DLCERT_VERSIONED, .major = 1u, .minor = 3u, .flags = 0u, .dtype = {2, 32, 1}, .device = {4, 0}, .ndim = 0, .shape = (const int64_t[]){0}, .strides = (const int64_t[]){0}, .byte_offset = 0u, .data = OFFER_STORAGE, .data_offset = 0, .deleter = OFFER_COUNTED, .context = OFFER_OWN_CONTEXT, .protection = OFFER_WRITABLE}, "00000000");
  dlcert_tensor* t1 = import_managed(library, m1);  saw("deleter");  saw("refused");
  call_deleter(m1);  saw("deleter");

  show_accounts();
  return shows_fault();
}
