/*
 * mxnet 1.9.1: elements: expected 16 bytes 0000803f000000400000404000008040 but found 16 bytes
 * 00000000000000000000000000000000
 *
 * Rule (abi.data.byte-offset-applied): the consumer adds a byte_offset beyond 32 bits.
 * Source: dlpack.h v1.3, DLTensor.data / byte_offset
 *
 * Build and run: cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample [MODULE]
 * MODULE is the adapter of the library.
 * Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
 */
#ifndef DLCERT_COUNTEREXAMPLE_H
#include "../dlcert_counterexample.h"
#endif

static void steps(void) {
  unsigned char* memory1 = mapped_memory(4294967376u);
  put_bytes(memory1 + 4294967360u, "0000803f000000400000404000008040");
  dlcert_managed m1 = offer(OFFER(.form = DLCERT_LEGACY, .dtype = {2, 32, 1}, .device = {1, 0},
                                  .ndim = 1, .shape = LIST(4), .strides = LIST(1),
                                  .byte_offset = 4294967360u, .data = OFFER_UNMAPPED), "");
  lie_at(m1, memory1 + 0u);
  dlcert_tensor* t1 = UNLESS_REFUSED(import_managed(library, m1));
  judge_text(read_bytes(library, t1, 16), "0000803f000000400000404000008040");
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_mxnet_adapter.so";
  return run(JUDGES, argc > 1 ? argv[1] : module_path, steps);
}
