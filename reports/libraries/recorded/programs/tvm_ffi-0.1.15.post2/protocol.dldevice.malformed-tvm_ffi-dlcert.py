# protocol.dldevice.malformed (tvm_ffi 0.1.15.post2): a dl_device that is no pair of integers is refused
# dl_device=1: expected a refusal but it was accepted
# Rule: derived: array API draft, array_object.py __dlpack__ dl_device; Raises (incorrect arguments)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import tvm_ffi
    import numpy
    from tvm_ffi import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
t1 = tvm_ffi.from_dlpack(numpy.ndarray((), "float32", bytearray.fromhex("00000000"), 0, ()))
c1 = t1.__dlpack__(dl_device=1)
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
