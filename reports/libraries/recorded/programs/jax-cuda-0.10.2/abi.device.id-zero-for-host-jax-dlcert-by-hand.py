# abi.device.id-zero-for-host, protocol.dldevice.result-device, protocol.dldevice.unsupported (jax 0.10.2,
# CUDA plugin): pinned memory of device 1 is exported as (3, 1), dl_device=(3, 0) gives memory of a
# device, and dl_device=(10, 0), a type that there is not, raises RuntimeError.
# Rule: dlpack.h, DLDevice.device_id: 0 for pinned memory; array API, __dlpack__, dl_device
# Run: dlcert with-simulated-gpu --devices 2 python THIS
# Exit code: 1 when the library shows the faults, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, sys
os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
try:
    import jax, numpy
    from jax._src import hardware_utils
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
hardware_utils.has_visible_nvidia_gpu = lambda: True  # looks for /dev/nvidia0
jax.config.update("jax_platforms", "cuda,cpu")
api = ctypes.PyDLL(None)
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def exported(x, **arguments):
    """The device that the descriptor names, or the error."""
    try:
        capsule = x.__dlpack__(**arguments)
    except Exception as error:
        return type(error).__name__
    return tuple((ctypes.c_int32 * 2).from_address(api.PyCapsule_GetPointer(capsule, b"dltensor") + 8))


first, second = jax.devices("cuda")[:2]
pinned = jax.device_put(numpy.zeros(1, "float32"), jax.sharding.SingleDeviceSharding(second, memory_kind="pinned_host"))
own = jax.device_put(numpy.zeros(1, "float32"), first)
index, copied = exported(pinned), exported(own, dl_device=(3, 0))
not_copied, unknown = exported(own, dl_device=(3, 0), copy=False), exported(own, dl_device=(10, 0))
print(f"pinned memory of device 1: {index}, expected (3, 0)", flush=True)
print(f"dl_device=(3, 0): {copied}, with copy=False {not_copied}; expected (3, 0) or BufferError", flush=True)
print(f"dl_device=(10, 0): {unknown}, expected BufferError", flush=True)
os._exit(int((index, copied, not_copied, unknown) == ((3, 1), (2, 0), (2, 0), "RuntimeError")))
