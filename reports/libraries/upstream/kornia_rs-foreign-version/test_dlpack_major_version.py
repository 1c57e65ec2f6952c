# To be added to kornia-py/tests/test_dlpack.py.

import ctypes

import numpy as np
import pytest

from kornia_rs.image import Image


def test_dlpack_import_rejects_other_major_version():
    """A tensor of DLPack 2.0 has fields that a consumer of DLPack 1 does not know."""

    class Future:
        def __init__(self, arr):
            self.arr = arr

        def __dlpack_device__(self):
            return self.arr.__dlpack_device__()

        def __dlpack__(self, **kwargs):
            capsule = self.arr.__dlpack__(max_version=(1, 0))
            get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
            get_pointer.restype = ctypes.c_void_p
            get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
            address = get_pointer(capsule, b"dltensor_versioned")
            ctypes.c_uint32.from_address(address).value = 2  # version.major
            return capsule

    try:
        np.zeros(1).__dlpack__(max_version=(1, 0))
    except TypeError:
        pytest.skip("this NumPy makes no versioned tensors")

    with pytest.raises(Exception):
        Image.from_dlpack(Future(np.zeros((2, 2, 3), dtype=np.uint8)))
