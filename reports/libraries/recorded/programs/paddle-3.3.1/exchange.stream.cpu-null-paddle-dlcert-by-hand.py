# exchange.stream.cpu-null (paddle 3.3.1): current_work_stream of the CPU gives 0 and stores nothing.
# Rule: dlpack.h v1.3, DLPackCurrentWorkStream: the stream is stored in *out_current_stream on success.
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, sys
try:
    import paddle
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
table = (ctypes.c_void_p * 7).from_address(
    pointer(paddle.Tensor.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))
current_work_stream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p)(table[6])
stream = ctypes.c_void_p(0xEE)
code = current_work_stream(1, 0, ctypes.addressof(stream))
print("code", code, "stored", stream.value)
sys.exit(code == 0 and stream.value == 0xEE)
