"""JAX exports an array on its second CPU device with the DLPack device (1, 1), not (1, 0),
and jax.numpy.from_dlpack() of that array is on another device than the array.

Exit code: 1 if JAX is wrong, 0 if it is right, 2 if anything else went wrong.
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
    import jax

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", 2)
    print("JAX", jax.__version__)
    x = jax.device_put(jax.numpy.arange(3.0), jax.devices("cpu")[1])
    device, index = x.__dlpack_device__()
    found = [
        ("x.__dlpack_device__()", (int(device), index), (1, 0)),
        ("the device in x.__dlpack__()", device_of(x.__dlpack__()), (1, 0)),
        ("jax.numpy.from_dlpack(x).device", jax.numpy.from_dlpack(x).device, x.device),
    ]
    for what, value, expected in found:
        verdict = "right:" if value == expected else "WRONG:"
        print(verdict, what, "is", value, "and should be", expected)
    return 1 if any(value != expected for _, value, expected in found) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
