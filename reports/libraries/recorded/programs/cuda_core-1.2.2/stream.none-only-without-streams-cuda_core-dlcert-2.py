# stream.none-only-without-streams (cuda_core 1.2.2): host memory is exported for no object as its stream
# stream=1.5: expected a refusal but it was accepted
# Rule: array API draft, array_object.py __dlpack__ stream
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import numpy
    from cuda.core.utils import StridedMemoryView
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
from_dlpack = lambda source: (lambda view: (view.dtype, view.shape) and view)(StridedMemoryView.from_dlpack(source, stream_ptr=-1))
t1 = from_dlpack(numpy.ndarray((), "float32", bytearray.fromhex("00000000"), 0, ()))
c1 = t1.__dlpack__(stream=1.5)
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
