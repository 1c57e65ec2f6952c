# stream.cuda.none-legacy-default and others (cupy 14.2.0): negative strides leave as large numbers.
# Rule: dlpack.h, DLTensor.strides: in elements
# Run: dlcert with-simulated-gpu python THIS
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, sys
try:
    import cupy, numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
backwards = cupy.asarray(numpy.arange(4, dtype="float32"))[::-1]
capsule = backwards.__dlpack__()
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
strides = ctypes.c_void_p.from_address(pointer(capsule, b"dltensor") + 32).value
found = ctypes.c_int64.from_address(strides).value
print(f"stride: {found}, expected -1", flush=True)
sys.exit(int(found != -1))
