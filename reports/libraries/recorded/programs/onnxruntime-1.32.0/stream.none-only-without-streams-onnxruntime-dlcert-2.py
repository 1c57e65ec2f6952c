# stream.none-only-without-streams (onnxruntime 1.32.0): host memory is exported for no object as its stream
# stream=1.5: expected a refusal but it was accepted
# Rule: array API draft, array_object.py __dlpack__ stream
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
t1 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("00000000"), "float32").reshape(()))
c1 = t1.__dlpack__(stream=1.5)
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
