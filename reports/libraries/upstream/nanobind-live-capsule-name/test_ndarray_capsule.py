# To be added to tests/test_ndarray.py.

import ctypes

import pytest

import test_ndarray_ext as t

np = pytest.importorskip("numpy")

get_name = ctypes.pythonapi.PyCapsule_GetName
get_name.restype = ctypes.c_char_p
get_name.argtypes = [ctypes.py_object]


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_capsule_of_object_is_renamed(max_version):
    class Source:
        def __init__(self):
            self.array = np.arange(6, dtype=np.float32).reshape(2, 3)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

        def __dlpack__(self, **kwargs):
            # The producer may keep its capsule, as the caller of a function may
            self.capsule = self.array.__dlpack__(max_version=max_version)
            return self.capsule

    source = Source()
    assert t.get_shape(source) == [2, 3]
    suffix = b"" if max_version is None else b"_versioned"
    assert get_name(source.capsule) == b"used_dltensor" + suffix
