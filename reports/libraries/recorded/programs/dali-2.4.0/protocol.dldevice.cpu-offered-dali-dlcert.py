# protocol.dldevice.cpu-offered (dali 2.4.0): an export to the CPU holds the source's values
# error: expected BufferError but found TypeError: __dlpack__(): incompatible function arguments. The following argument types are supported:     1. (self: nvidia.dali.tensors.TensorCPU, stream: typing.SupportsInt | typing.SupportsIndex | None = None, max_version: tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex] | None = None, dl_device: tuple[nvidia.dali.b ...
# Rule: array API draft, array_object.py __dlpack__ dl_device (kDLCPU mandate)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import numpy
    from nvidia.dali.tensors import TensorCPU
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
from_dlpack = TensorCPU
t1 = TensorCPU(numpy.frombuffer(bytearray.fromhex("00000000"), "float32").reshape(()))
saw(error_of(lambda: t1.__dlpack__(dl_device=(1, 0))), "TypeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
