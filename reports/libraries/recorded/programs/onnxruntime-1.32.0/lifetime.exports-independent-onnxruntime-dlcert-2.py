# lifetime.exports-independent (onnxruntime 1.32.0): hundreds of exports, of one tensor or of many, are released in any order
# elements: expected 4 bytes 00000000 but found 4 bytes 01000000
# Rule: derived: dlpack.h v1.3 DLManagedTensor
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, os, signal, sys
try:
    import ctypes, numpy, onnxruntime
    from onnxruntime import OrtValue
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
from_dlpack = OrtValue.from_dlpack
# cannot be shown without dlcert: 300 exports of 1 tensors, released in any order
print("the library answers as when the fault was found", flush=True)
os._exit(1)
