/*
 * torch 2.10.0+cu128: export of data that is lazily conjugated: expected a refusal or its values
 * but found others
 *
 * Rule (exchange.from.same-rules): lazy, sparse or byte-swapped data is refused by the table or
 * exported with its values. Source: derived: dlpack.h v1.3, DLPackExchangeAPI and DLTensor
 *
 * This program judges a recorded struct and calls no library. `exported` is the struct that the
 * library handed over when dlcert found the fault.
 *
 * The calls:
 *   tensor1 = library.create(complex64 shape=[] strides=[] offset=0 state=7, 8 bytes
 *   0000803f00000040)
 *   library.exchange_table()
 *   library.object_of(tensor1)
 *   library.table.managed_tensor_from_py_object_no_sync(an object)
 *   library: the interpreter's lock is taken
 *   library: the lock is given back
 *   0
 *   library.take_object_error()
 *   library.table.dltensor_from_py_object_no_sync(an object)
 *   library: the interpreter's lock is taken
 *   library: the lock is given back
 *   0
 *   library.take_object_error()
 *   call the deleter of unknown
 *   library.drop_object(an object)
 *   library.release(tensor1)
 *
 * Build and run: cc -std=c11 -o recorded THIS_FILE && ./recorded
 *
 * Exit code: 1 if the struct breaks the rule, 0 if it keeps it.
 */
#include "dlcert_recorded.h"

int main(void) {
  static unsigned char memory[] = {
    0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0xc0,
  };
  static DLManagedTensorVersioned exported = {
      .version = {.major = 1, .minor = 3}, .flags = 0x0,
      .dl_tensor.data = memory + 0,
      .dl_tensor.device = {.device_type = 1, .device_id = 0},
      .dl_tensor.ndim = 0,
      .dl_tensor.dtype = {.code = 5, .bits = 64, .lanes = 1},
      .dl_tensor.shape = NOT_RECORDED,
      .dl_tensor.strides = NOT_RECORDED,
      .dl_tensor.byte_offset = 0u,
  };
  static const unsigned char wanted[] = {
    0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0x40,
  };
  return MUST(elements_are(&exported.dl_tensor, exported.flags, wanted, sizeof(wanted)));
}
