"""tvm_ffi.Tensor.__dlpack__(dl_device=(2, 0)) of a tensor in host memory, (1, 0), gives a capsule
with the tensor on (1, 0): without max_version, dl_device is not looked at.

A right export is on the device that was asked for, or is refused with BufferError.

Exit code: 1 if tvm-ffi is wrong, 0 if it is right, 2 if anything else went wrong.
"""

import ctypes
import sys
import traceback


class DLTensor(ctypes.Structure):  # its first members
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32)]


def device_of(capsule):
    """The device in the tensor of a capsule with the name "dltensor"."""
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    tensor = DLTensor.from_address(get_pointer(capsule, b"dltensor"))
    return tensor.device_type, tensor.device_id


def main():
    import numpy
    import tvm_ffi

    print("tvm-ffi", tvm_ffi.__version__, "NumPy", numpy.__version__)
    x = tvm_ffi.from_dlpack(numpy.zeros(3))
    asked = (2, 0)  # the first CUDA device
    try:
        capsule = x.__dlpack__(dl_device=asked)
    except BufferError as error:
        print(f"right: {asked} is refused: {error!r}")
        return 0
    found = device_of(capsule)
    print("right:" if found == asked else "WRONG:", f"asked for {asked}, and got {found}")
    return 0 if found == asked else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
