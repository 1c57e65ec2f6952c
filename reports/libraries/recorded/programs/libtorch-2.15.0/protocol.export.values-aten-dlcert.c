/*
 * protocol.export.values (aten): lazily conjugated data is refused or exported with its values
 *
 * export of data that is lazily conjugated: expected a refusal or its values but found others
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

  dlcert_tensor* t1 = create(library, (dlcert_tensor_spec){.struct_size = sizeof(dlcert_tensor_spec), .flags = 0, .state = 7, .ndim = 0, .dtype = {5, 64, 1}, .device = {1, 0}, .shape = NULL, .strides = NULL, .offset = 0, .storage_size = 1}, "0000803f00000040");  saw("ok");
  read_bytes(library, t1, 8);  saw("0000803f00000040");
  dlcert_managed m1 = export_managed(library, t1, REQUEST(ABSENT, ABSENT, ABSENT, ABSENT));  saw("ok");  saw("legacy deleter set dtype (5, 64, 1) device (1, 0) ndim 0 shape [] strides [] offset 0 data set");
  call_deleter(m1);
  release(library, t1);

  show_accounts();
  return shows_fault();
}
