/*
 * torch 2.15.0+cu132: flags of an export through the table: expected bit 0, as of __dlpack__, but
 * found 0x0
 *
 * Rule (abi.flags.read-only-bit): an export through the table has bit 0 if that of __dlpack__ has.
 * Source: derived: dlpack.h v1.3, DLPACK_FLAG_BITMASK_READ_ONLY; array API __dlpack__ Notes
 * (read-only)
 *
 * This program judges a recorded struct and calls no library. `exported` is the struct that the
 * library handed over when dlcert found the fault.
 *
 * The calls:
 *   tensor1 = library.create(float32 shape=[] strides=[] offset=0 read-only, 4 bytes 00000000)
 *   library.exchange_table()
 *   library.object_of(tensor1)
 *   library.table.managed_tensor_from_py_object_no_sync(an object)
 *   library: the interpreter's lock is taken
 *   library: the lock is given back
 *   0
 *   capsule1 = library.export_capsule(tensor1, max_version=(1, 3))
 *   library.capsule_name(capsule1)
 *   "dltensor_versioned"
 *   library.capsule_pointer(capsule1, "dltensor_versioned")
 *   0x(address)
 *   library.capsule_name(capsule1)
 *   "dltensor_versioned"
 *   library.set_capsule_name(capsule1, "used_dltensor_versioned")
 *   library.drop(capsule1)
 *   call the deleter of managed1
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
  static DLManagedTensorVersioned exported = {
      .version = {.major = 1, .minor = 3}, .flags = 0x0,
      .dl_tensor.data = NOT_RECORDED,
      .dl_tensor.device = {.device_type = 1, .device_id = 0},
      .dl_tensor.ndim = 0,
      .dl_tensor.dtype = {.code = 2, .bits = 32, .lanes = 1},
      .dl_tensor.shape = NOT_RECORDED,
      .dl_tensor.strides = NOT_RECORDED,
      .dl_tensor.byte_offset = 0u,
  };
  return MUST(exported.flags & DLPACK_FLAG_BITMASK_READ_ONLY);
}
