"""Paddle ignores DLTensor.byte_offset: it reads the elements at `data`, not `data + byte_offset`.

Exit code: 1 if Paddle is wrong, 0 if it is right, 2 if anything else went wrong.
"""

import ctypes
import sys
import traceback


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("dl_tensor", DLTensor), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p)]


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def deleter(tensor):
    pass  # what the tensor needs lives until the program ends


elements = (ctypes.c_float * 6)(0, 1, 2, 3, 4, 5)
shape, strides = (ctypes.c_int64 * 1)(3), (ctypes.c_int64 * 1)(1)
managed = DLManagedTensor(deleter=ctypes.cast(deleter, ctypes.c_void_p))
managed.dl_tensor = DLTensor(
    data=ctypes.addressof(elements), device_type=1, ndim=1, code=2, bits=32, lanes=1,
    shape=shape, strides=strides, byte_offset=2 * ctypes.sizeof(ctypes.c_float))


def main():
    import paddle

    print("Paddle", paddle.__version__)
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    x = paddle.utils.dlpack.from_dlpack(new_capsule(ctypes.addressof(managed), b"dltensor", None))
    found, expected = x.tolist(), [2, 3, 4]
    print("right:" if found == expected else "WRONG:",
          f"three elements behind a byte_offset of two floats are {found}, expected {expected}")
    return 0 if found == expected else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
