# exchange.from.buffer-error (paddle 3.3.1): the exchange table refuses sparse data by another error than __dlpack__ does.
# Rule: array API, __dlpack__, raises: BufferError where the data cannot be described; what the table gives obeys the same rules.
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes
import sys
try:
    import paddle
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
table = (ctypes.c_void_p * 7).from_address(
    pointer(paddle.Tensor.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))
from_py_object = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(table[3])
tensor = paddle.to_tensor([[1.0, 0.0], [-3.0, 0.0]]).to_sparse_coo(2)
managed = ctypes.c_void_p()
try:
    found = f"no error, code {from_py_object(tensor, ctypes.addressof(managed))}"
except Exception as error:
    found = type(error).__name__
print("expected BufferError but found", found)
sys.exit(found != "BufferError")
