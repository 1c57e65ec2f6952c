# stream.cuda.two-per-thread (cuda_core 1.2.2): 2 orders against the caller's per-thread default stream
# write by copy_async, operation 2 of stream 0x7d1000000030 of device 0 and read by copy_async, operation 2 of a per-thread default stream of device 0 are not ordered: nothing makes a per-thread default stream of device 0 wait for operation 2 of stream 0x7d1000000030 of device 0 (bytes 0x(address) to 0x(address), 0 bytes into an allocation of 4)
# Rule: array API draft, array_object.py __dlpack__ CUDA values
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import numpy
    from cuda.core.utils import StridedMemoryView
    library = numpy
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
from_dlpack = lambda source: (lambda view: (view.dtype, view.shape) and view)(StridedMemoryView.from_dlpack(source, stream_ptr=-1))
# cannot be shown without dlcert: work runs late
# cannot be shown without dlcert: set_device(0)
# cannot be shown without dlcert: the non-blocking stream 0x7d1000000030 of device 0 is made
t1 = from_dlpack(numpy.ndarray((1,), "float32", bytearray.fromhex("00000000"), 0, (4,)))
# cannot be shown without dlcert: library.synchronize(cuda:0)
# cannot be shown without dlcert: library.synchronize(cuda:1)
saw((str(t1.dtype), tuple(t1.shape)), ('float32', (1,)))
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000030): what follows, until the next line like this
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000030): what follows, until the next line like this
# cannot be shown without dlcert: 4 bytes at 0x(address) are read on the per-thread default stream 0x2 of device 0, which is waited for
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
