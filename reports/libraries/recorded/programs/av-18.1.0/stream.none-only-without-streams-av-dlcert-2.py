# stream.none-only-without-streams (av 18.1.0): host memory is exported for no object as its stream
# stream=1.5: expected a refusal but it was accepted
# Rule: array API draft, array_object.py __dlpack__ stream
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, os, signal, sys
try:
    import av, ctypes, numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
from_dlpack = lambda x, **o: av.VideoFrame.from_dlpack(x, format='gray', **o).planes[0]
t1 = (lambda p, d: [ctypes.memmove(p.buffer_ptr + r * p.line_size, d[r * 1:], 1) for r in range(1)] and p)(av.VideoFrame(1, 1, "gray").planes[0], bytes.fromhex("00"))
c1 = t1.__dlpack__(stream=1.5)
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
