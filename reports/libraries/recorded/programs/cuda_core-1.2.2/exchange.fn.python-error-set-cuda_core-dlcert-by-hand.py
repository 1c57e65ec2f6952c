# exchange.fn.python-error-set (cuda_core 1.2.2): a function of the table that fails leaves an error set
# Rule: dlpack.h v1.3, function typedefs
# Exit code: 1 when the library shows the fault, 0 when it does not.
import ctypes
import os

from cuda.core.utils import StridedMemoryView

ptr, i32, u32, i64 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32, ctypes.c_int64


class Table(ctypes.Structure):
    _fields_ = [("major", u32), ("minor", u32), ("previous", ptr), ("allocate", ptr), ("from_object", ptr), ("to_object", ptr)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", u32), ("minor", u32), ("context", ptr), ("deleter", ptr), ("flags", ctypes.c_uint64), ("data", ptr),
                ("device_type", i32), ("device_id", i32), ("ndim", i32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(i64)), ("strides", ctypes.POINTER(i64)), ("byte_offset", ctypes.c_uint64)]


api = ctypes.PyDLL(None)
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ptr, [ctypes.py_object, ctypes.c_char_p]
table = Table.from_address(api.PyCapsule_GetPointer(StridedMemoryView.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))
number, result = ctypes.c_float(), ptr()
deleter = ctypes.CFUNCTYPE(None, ptr)(lambda tensor: None)
tensor = Versioned(major=1, minor=3, deleter=ctypes.cast(deleter, ptr), data=ctypes.addressof(number), device_type=99, code=2, bits=32, lanes=1)
try:
    code = ctypes.PYFUNCTYPE(i32, ptr, ctypes.POINTER(ptr))(table.to_object)(ctypes.addressof(tensor), ctypes.byref(result))
except Exception as error:  # ctypes raises the error that the function has set
    print(f"it has set {error!r}", flush=True)
    os._exit(0)
print(f"managed_tensor_to_py_object_no_sync of device 99: {code}, and no error is set", flush=True)
os._exit(1 if code == -1 else 0)
