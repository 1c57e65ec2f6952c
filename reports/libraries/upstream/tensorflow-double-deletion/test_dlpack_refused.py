# To be added to DLPackTest in tensorflow/python/dlpack/dlpack_test.py.
"""Tests for DLPack capsules that are refused."""
import ctypes

from absl.testing import parameterized
import numpy as np

from tensorflow.python.dlpack import dlpack
from tensorflow.python.framework import ops
from tensorflow.python.platform import test

_api = ctypes.PyDLL(None)
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]

# Offsets in DLManagedTensor on 64-bit platforms.
_DEVICE = 8
_DELETER = 56


class DLPackRefusedTest(parameterized.TestCase, test.TestCase):

  @parameterized.named_parameters(("_cuda", 2), ("_rocm", 10))
  def testRefusedTensorIsDeletedOnce(self, device_type):
    calls = []
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(calls.append)
    capsule = np.arange(3, dtype=np.float32).__dlpack__()
    managed = _api.PyCapsule_GetPointer(capsule, b"dltensor")
    device = (ctypes.c_int32 * 2).from_address(managed + _DEVICE)
    deleter_field = ctypes.c_void_p.from_address(managed + _DELETER)
    original_deleter = deleter_field.value
    # A device that does not exist, and a deleter that counts its calls.
    device[:] = [device_type, 99]
    deleter_field.value = ctypes.cast(deleter, ctypes.c_void_p).value

    with self.assertRaises(Exception):
      dlpack.from_dlpack(capsule)

    is_live = _api.PyCapsule_IsValid(capsule, b"dltensor")
    # NumPy may delete its tensor with the capsule.
    deleter_field.value = original_deleter
    # A live capsule is deleted by its producer, a used one by its consumer.
    self.assertLen(calls, 0 if is_live else 1)


if __name__ == "__main__":
  ops.enable_eager_execution()
  test.main()
