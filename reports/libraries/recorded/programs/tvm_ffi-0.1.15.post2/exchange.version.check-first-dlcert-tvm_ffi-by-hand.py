# exchange.version.check-first (tvm_ffi 0.1.15.post2): a function of a table of version 99.0 is called.
# Rule: dlpack.h v1.3, DLPackExchangeAPIHeader.version: a consumer verifies the major version before it touches the rest.
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, sys
try:
    import tvm_ffi
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
called = []
from_object = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: called.append(99) or -1)
# The version, no older table, no allocator, and managed_tensor_from_py_object_no_sync.
table = (ctypes.c_uint64 * 8)(99, 0, 0, ctypes.cast(from_object, ctypes.c_void_p).value)
capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Array:
    __dlpack_c_exchange_api__ = capsule(ctypes.addressof(table), b"dlpack_exchange_api", None)


try:
    tvm_ffi.from_dlpack(Array())
except Exception as error:
    print(type(error).__name__, error)
print("functions of version", called)
sys.exit(bool(called))
