# protocol.signature.keyword-only (dali 2.4.0): __dlpack__ takes its options by keyword alone
# x.__dlpack__(None): expected TypeError but it was accepted
# Rule: array API draft, function_and_method_signatures.rst rules 1 and 2
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import numpy
    from nvidia.dali.tensors import TensorCPU
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
from_dlpack = TensorCPU
t1 = TensorCPU(numpy.frombuffer(bytearray.fromhex("00000000"), "float32").reshape(()))
c1 = t1.__dlpack__(None)
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
