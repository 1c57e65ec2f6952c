# protocol.maxversion.malformed (dali 2.4.0): a max_version that is no pair of integers is refused
# max_version=b'10': expected a refusal but it was accepted
# Rule: derived: array API draft, array_object.py __dlpack__ max_version; Raises (incorrect arguments)
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
c1 = t1.__dlpack__(max_version=b'10')
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
