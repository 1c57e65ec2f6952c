# lifetime.deleter.after-finalize (cuda_core 1.2.2): a deleter that is called behind the interpreter's end returns
# a deleter behind the interpreter's end: expected its return but the process was ended by signal 11
# Rule: DLPack docs/source/python_spec.rst @7f393bb lines 141-149
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
# cannot be shown without dlcert: fork: what follows happens in the child
# cannot be shown without dlcert: the child ended: ended
# cannot be shown without dlcert: fork: what follows happens in the child
# cannot be shown without dlcert: the child was ended by signal 11
print("the library answers as when the fault was found", flush=True)
os._exit(1)
