/*
 * abi.data.size-formula (mxnet): extents, and sizes in elements or bytes, beyond 32 bits are refused or kept
 *
 * description of an imported tensor: expected success but found RuntimeError (std::exception): MXNetError: Check failed: arr->shape().Size() < (int64_t{1} << 31) - 1 (4294967299 vs. 2147483647) : [Get Shape] Size of tensor you are trying to allocate is larger than 2^31 elements. Please build with flag USE_INT64_TENSOR_SIZE=1 Stack trace:   File "../src/c_api/c_api.cc", line 2104 
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

  unsigned char* memory1 = mapped_memory(4294967299u);
  dlcert_managed m1 = offer((offer_spec){.form = DLCERT_LEGACY, .major = 1u, .minor = 3u, .flags = 0u, .dtype = {1, 8, 1}, .device = {1, 0}, .ndim = 1, .shape = (const int64_t[]){2}, .strides = (const int64_t[]){1}, .byte_offset = 0u, .data = OFFER_STORAGE, .data_offset = 0, .deleter = OFFER_COUNTED, .context = OFFER_OWN_CONTEXT, .protection = OFFER_WRITABLE}, "0000");
  dlcert_tensor* t1 = import_managed(library, m1);  saw("ok");
  describe(library, t1);  saw("dtype (1, 8, 1) device (1, 0) shape [2] strides NULL flags none");
  release(library, t1);  saw("deleter");
  put_bytes(memory1 + 0u, "01");
  put_bytes(memory1 + 1u, "02");
  put_bytes(memory1 + 4095u, "50");
  put_bytes(memory1 + 4096u, "51");
  put_bytes(memory1 + 2147483647u, "bb");
  put_bytes(memory1 + 2147483648u, "bc");
  put_bytes(memory1 + 4294967295u, "7b");
  put_bytes(memory1 + 4294967296u, "7c");
  put_bytes(memory1 + 4294967297u, "7d");
  put_bytes(memory1 + 4294967298u, "7e");
  dlcert_managed m2 = offer((offer_spec){.form = DLCERT_LEGACY, .major = 1u, .minor = 3u, .flags = 0u, .dtype = {1, 8, 1}, .device = {1, 0}, .ndim = 1, .shape = (const int64_t[]){4294967299}, .strides = (const int64_t[]){1}, .byte_offset = 0u, .data = OFFER_UNMAPPED, .data_offset = 0, .deleter = OFFER_COUNTED, .context = OFFER_OWN_CONTEXT, .protection = OFFER_WRITABLE}, "");
  lie_at(m2, memory1 + 0u);
  dlcert_tensor* t2 = import_managed(library, m2);  saw("ok");
  describe(library, t2);  saw("refused");
  release(library, t2);  saw("deleter");

  show_accounts();
  return shows_fault();
}
