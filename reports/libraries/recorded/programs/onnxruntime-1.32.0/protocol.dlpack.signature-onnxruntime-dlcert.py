# protocol.dlpack.signature (onnxruntime 1.32.0): __dlpack__ takes max_version, dl_device and copy, each and all, None or a value
# x.__dlpack__(max_version=None): expected a capsule but found TypeError: OrtValue.__dlpack__() got an unexpected keyword argument 'max_version'
# Rule: array API draft, array_object.py __dlpack__ signature (lines 317-325)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, os, signal, sys
try:
    import ctypes, numpy, onnxruntime
    from onnxruntime import OrtValue
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
from_dlpack = OrtValue.from_dlpack
t1 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("00000000"), "float32").reshape(()))
saw(error_of(lambda: t1.__dlpack__(max_version=None)), "TypeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
