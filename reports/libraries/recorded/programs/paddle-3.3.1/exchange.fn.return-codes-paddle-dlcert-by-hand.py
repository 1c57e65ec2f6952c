# exchange.fn.return-codes, exchange.fn.no-cxx-exceptions, exchange.fn.python-error-set (paddle 3.3.1):
# current_work_stream of a device that the library does not have ends the process.
# Rule: dlpack.h v1.3, DLPackCurrentWorkStream: "return 0 on success, -1 on failure with a Python exception set".
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, signal, subprocess, sys
try:
    import paddle
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
if sys.argv[1:] != ["--child"]:
    code = subprocess.run([sys.executable, __file__, "--child"]).returncode
    print(f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}")
    sys.exit(code < 0)
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
table = (ctypes.c_void_p * 7).from_address(
    pointer(paddle.Tensor.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))
current_work_stream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p)(table[6])
stream = ctypes.c_void_p(0xEE)
print("code", current_work_stream(2, 0, ctypes.addressof(stream)))
