# protocol.from.same-device-default (array_api_strict 2.6.1): an import of the library's own tensor is on the device of that tensor
# device of the import: expected "array_api_strict.Device('device1')" but found "array_api_strict.Device('CPU_DEVICE')"
# Rule: array API draft, creation_functions.py from_dlpack device
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import array_api_strict
    from array_api_strict import from_dlpack
    import numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
def saw(found, then):  # `then` was the answer when the fault was found
    print(found, flush=True)
    if found != then:
        print(f"  when the fault was found: {then}")
        print("the library answers otherwise than when the fault was found", flush=True)
        os._exit(0)
t1 = array_api_strict.asarray(numpy.ndarray((2,), "float32", bytearray.fromhex("0000000000000000"), 0, (4,)), device=array_api_strict.Device('device1'), copy=False)
saw((str(t1.dtype), tuple(t1.shape)), ('array_api_strict.float32', (2,)))
import array_api_strict
from array_api_strict import from_dlpack
import numpy
t2 = from_dlpack(t1)
saw(str(str(t2.device)), "array_api_strict.Device('CPU_DEVICE')")
saw(str(str(t1.device)), "array_api_strict.Device('device1')")
del t2
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
