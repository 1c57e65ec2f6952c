# protocol.copy.true (kornia_rs 0.2.0): a versioned copy has the copied flag
# error: expected BufferError but found NotImplementedError: __dlpack__: copy=True is not yet supported; call img.copy() first
# Rule: array API draft, array_object.py __dlpack__ copy
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import kornia_rs
    import numpy
    from kornia_rs.image import Image
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
def error_of(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__
from_dlpack = Image.from_dlpack
t1 = Image.from_numpy(numpy.frombuffer(bytearray.fromhex("00000000"), "float32").reshape((1, 1, 1)))
saw(error_of(lambda: t1.__dlpack__(copy=True)), "NotImplementedError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
