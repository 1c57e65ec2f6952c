/*
 * decord 0.6.0: data of a tensor without elements: expected 0x0 but found 0x(address)
 *
 * Rule (abi.data.zero-size-null): a tensor without elements is exported with null data. Source:
 * dlpack.h v1.3, DLTensor.data (last note); DLPack docs/source/python_spec.rst @7f393bb lines
 * 162-163
 *
 * This program judges a recorded struct and calls no library. `exported` is the struct that the
 * library handed over when dlcert found the fault.
 *
 * The calls:
 *   tensor1 = library.create(float32 shape=[0] strides=[1] offset=0, 0 bytes)
 *   capsule1 = library.to_dlpack(tensor1)
 *   library.capsule_name(capsule1)
 *   "dltensor"
 *   library.capsule_pointer(capsule1, "dltensor")
 *   0x(address)
 *   library.capsule_name(capsule1)
 *   "dltensor"
 *   library.set_capsule_name(capsule1, "used_dltensor")
 *   library.drop(capsule1)
 *   call the deleter of managed1
 *   library.release(tensor1)
 *
 * Build and run: cc -std=c11 -o recorded THIS_FILE && ./recorded
 *
 * Exit code: 1 if the struct breaks the rule, 0 if it keeps it.
 */
#include "dlcert_recorded.h"

int main(void) {
  static int64_t shape[] = {0};
  static DLManagedTensor exported = {
      .dl_tensor.data = NOT_RECORDED,
      .dl_tensor.device = {.device_type = 1, .device_id = 0},
      .dl_tensor.ndim = 1,
      .dl_tensor.dtype = {.code = 2, .bits = 32, .lanes = 1},
      .dl_tensor.shape = shape,
      .dl_tensor.strides = NULL,
      .dl_tensor.byte_offset = 0u,
  };
  return MUST(exported.dl_tensor.data == NULL);
}
