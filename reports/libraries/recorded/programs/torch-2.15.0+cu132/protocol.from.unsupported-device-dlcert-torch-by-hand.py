# protocol.from.unsupported-device (torch 2.15.0+cu132): a source on a device that PyTorch has not
# raises RuntimeError; and its tensor is released although the capsule keeps its live name, so that
# the producer releases it again.
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, sys
try:
    import torch
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)


class Legacy(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


api, released, opencl = ctypes.pythonapi, [], 4
deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(released.append)
tensor = Legacy(4096, opencl, 0, 0, 2, 32, 1, deleter=ctypes.cast(deleter, ctypes.c_void_p))
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
capsule = api.PyCapsule_New(ctypes.addressof(tensor), b"dltensor", None)
try:
    torch.utils.dlpack.from_dlpack(capsule)
    found = "success"
except Exception as error:
    found = type(error).__name__
print(f"{found}; releases {len(released)}, name {api.PyCapsule_GetName(capsule)}", flush=True)
sys.exit(found == "RuntimeError")
