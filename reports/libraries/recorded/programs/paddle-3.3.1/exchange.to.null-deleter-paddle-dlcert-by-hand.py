# exchange.to.null-deleter, lifetime.ctx.opaque (paddle 3.3.1): the deleter of a tensor whose manager_ctx is NULL is never called.
# Rule: dlpack.h v1.3: manager_ctx is the producer's own; deleter "should be called to destruct the manager_ctx".
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, sys
from ctypes import c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
try:
    import paddle
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)


class Managed(ctypes.Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p), ("flags", c_uint64),
                ("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8),
                ("bits", c_uint8), ("lanes", c_uint16), ("shape", c_void_p), ("strides", c_void_p), ("byte_offset", c_uint64)]


new = ctypes.pythonapi.PyCapsule_New
new.restype, new.argtypes = ctypes.py_object, [c_void_p, ctypes.c_char_p, c_void_p]
data, shape, strides = (ctypes.c_float * 4)(), (c_int64 * 1)(4), (c_int64 * 1)(1)


def deleter_calls(context):
    calls = []
    deleter = ctypes.CFUNCTYPE(None, c_void_p)(calls.append)
    m = Managed(1, 3, context, ctypes.cast(deleter, c_void_p).value, 0, ctypes.addressof(data), 1, 0, 1, 2, 32, 1,
                ctypes.addressof(shape), ctypes.addressof(strides), 0)
    tensor = paddle.from_dlpack(new(ctypes.addressof(m), b"dltensor_versioned", None))
    del tensor
    return len(calls)


found = deleter_calls(ctypes.addressof(data)), deleter_calls(None)
print("deleter calls with a context", found[0], "and without", found[1])
sys.exit(found == (1, 0))
