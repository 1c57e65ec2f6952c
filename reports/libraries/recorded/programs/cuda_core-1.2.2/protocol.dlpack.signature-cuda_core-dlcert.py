# protocol.dlpack.signature (cuda_core 1.2.2): __dlpack__ takes max_version, dl_device and copy, each and all, None or a value
# x.__dlpack__(dl_device=x.__dlpack_device__()): expected a capsule but found BufferError: Sorry, not supported: dl_device other than None
# Rule: array API draft, array_object.py __dlpack__ signature (lines 317-325)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import numpy
    from cuda.core.utils import StridedMemoryView
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
from_dlpack = lambda source: (lambda view: (view.dtype, view.shape) and view)(StridedMemoryView.from_dlpack(source, stream_ptr=-1))
t1 = from_dlpack(numpy.ndarray((), "float32", bytearray.fromhex("00000000"), 0, ()))
saw(error_of(lambda: t1.__dlpack__(dl_device=t1.__dlpack_device__())), "BufferError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
