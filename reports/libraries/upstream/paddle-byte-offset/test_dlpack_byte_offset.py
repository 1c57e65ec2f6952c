# To be added to test/legacy_test/test_dlpack.py.

import ctypes
import unittest

import numpy as np

import paddle

PyCapsule_GetPointer = ctypes.pythonapi.PyCapsule_GetPointer
PyCapsule_GetPointer.restype = ctypes.c_void_p
PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class TestDLPackByteOffset(unittest.TestCase):
    def test_from_dlpack_byte_offset(self):
        for dtype in ["float32", "int64", "uint8", "bool"]:
            with self.subTest(dtype=dtype):
                x = np.array([1, 0, 0, 1, 0, 1]).astype(dtype)
                capsule = x.__dlpack__()
                # the same memory, without its first two elements
                tensor = DLTensor.from_address(
                    PyCapsule_GetPointer(capsule, b"dltensor")
                )
                tensor.shape[0] = 4
                tensor.byte_offset = 2 * x.itemsize

                y = paddle.utils.dlpack.from_dlpack(capsule)

                np.testing.assert_array_equal(y.numpy(), x[2:])


if __name__ == "__main__":
    unittest.main()
