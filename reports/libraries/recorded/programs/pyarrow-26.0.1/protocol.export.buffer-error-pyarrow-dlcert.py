# protocol.export.buffer-error (pyarrow 26.0.1): data that the legacy form cannot describe raises BufferError in that form
# error: expected BufferError but found NotImplementedError (ArrowNotImplementedError): Legacy DLPack support is not implemented for immutable tensors. Please move to the DLPack version >=1.0
# Rule: array API draft, array_object.py __dlpack__ Raises
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import pyarrow
    import numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
def saw(found, then):  # `then` was the answer when the fault was found
    print(found, flush=True)
    if found != then:
        print(f"  when the fault was found: {then}")
        print("the library answers otherwise than when the fault was found", flush=True)
        os._exit(0)
def error_of(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__
from_dlpack = pyarrow.Tensor.from_dlpack
t1 = pyarrow.Tensor.from_numpy(numpy.ndarray((), "float32", bytes.fromhex("00000000"), 0, ()))
saw(error_of(lambda: t1.__dlpack__()), "ArrowNotImplementedError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
