"""tf.experimental.dlpack.from_dlpack() refuses a capsule, and yet calls the deleter of its tensor.

The capsule keeps the name "dltensor", by which its producer knows that nobody has taken the tensor.
So the producer's destructor of the capsule calls the deleter again: a double free. A right consumer
either leaves a capsule that it refuses alone, or renames it and calls the deleter itself.

Exit code: 1 if TensorFlow is wrong, 0 if it is right, 2 if anything else went wrong.
"""

import ctypes
import os
import sys
import traceback

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

api = ctypes.PyDLL(None)
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


calls = []  # of the deleter; a real one would free the tensor each time


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def deleter(tensor):
    calls.append(tensor)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def destructor(capsule):
    """What the DLPack documents ask of a producer's capsule."""
    if api.PyCapsule_IsValid(capsule, b"dltensor"):
        deleter(ctypes.addressof(managed))


# a float32 tensor on the CUDA device 9, of which TensorFlow knows nothing
elements = (ctypes.c_float * 3)(1, 2, 3)
shape, strides = (ctypes.c_int64 * 1)(3), (ctypes.c_int64 * 1)(1)
managed = DLManagedTensor(
    data=ctypes.addressof(elements), device_type=2, device_id=9, ndim=1, code=2, bits=32, lanes=1,
    shape=shape, strides=strides, deleter=ctypes.cast(deleter, ctypes.c_void_p))


def main():
    import tensorflow as tf

    print("TensorFlow", tf.__version__)
    capsule = api.PyCapsule_New(ctypes.addressof(managed), b"dltensor",
                                ctypes.cast(destructor, ctypes.c_void_p))
    from_dlpack = tf.experimental.dlpack.from_dlpack
    try:
        from_dlpack(capsule)
    except Exception as error:
        print(f"refused: {type(error).__name__}: {str(error)[:70]}")
        error = None
    else:
        raise RuntimeError("a tensor on the CUDA device 9 was taken")
    print("calls of the deleter by from_dlpack():", len(calls), "and the capsule is now", capsule)
    del capsule
    print("calls of the deleter after the capsule is gone:", len(calls))
    print("right" if len(calls) == 1 else "WRONG: expected 1 in all")
    return 0 if len(calls) == 1 else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
