/*
 * torch 2.10.0+cu128: export of data that is lazily conjugated: expected a refusal or its values
 * but found others
 *
 * Rule (protocol.export.values): to_dlpack refuses data that DLPack cannot describe, or hands out
 * its values. Source: derived: dlpack.h v1.3 DLManagedTensor and DLManagedTensorVersioned; array
 * API draft, array_object.py __dlpack__ (exports the array); array API draft, creation_functions.py
 * from_dlpack Returns; DLPack docs/source/python_spec.rst @7f393bb lines 15-18
 *
 * This program judges a recorded struct and calls no library. `exported` is the struct that the
 * library handed over when dlcert found the fault.
 *
 * The calls:
 *   tensor1 = library.create(complex64 shape=[] strides=[] offset=0 state=7, 8 bytes
 *   0000803f00000040)
 *   capsule1 = library.to_dlpack(tensor1)
 *   library.capsule_name(capsule1)
 *   "dltensor"
 *   library.capsule_pointer(capsule1, "dltensor")
 *   0x(address)
 *   library.drop(capsule1)
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
  static DLManagedTensor exported = {
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
  return MUST(elements_are(&exported.dl_tensor, 0, wanted, sizeof(wanted)));
}
